/**
 * What a task field accepts when the other fields have their values: the same as the command's completion offers.
 */
import { get } from "/static/js/api.js";

/**
 * What a field of a robot accepts, before there is a session.
 *
 * @param {string} robot
 * @returns {(field: string, values: object) => Promise<{value: any, label: string}[]>}
 */
export const robotChoices = (robot) => (field, values) =>
  get(`/api/launch/choices?${new URLSearchParams({ robot, field, values: JSON.stringify(values) })}`);

/**
 * Ask for choices.
 *
 * @param {string} command The command whose completion knows them.
 * @returns {(field: string, values: object) => Promise<{value: any, label: string}[]>}
 */
export const taskChoices = (command) => async (field, values) => {
  const others = Object.entries(values)
    .filter(([name, value]) => name !== field && value !== null && value !== undefined && value !== "")
    .map(([name, value]) => `${name}=${quoted(value)}`);
  const text = [command, ...others, `${field}=`].join(" ");
  const query = new URLSearchParams({ text, cursor: text.length });
  const { options } = await get(`/api/session/complete?${query}`);
  return options.map(({ insert, label }) => ({ value: plain(insert), label }));
};

const quoted = (value) => (/\s/.test(String(value)) ? JSON.stringify(String(value)) : String(value));

function plain(insert) {
  return insert.trim().replace(/^(["'])(.*)\1$/, "$2");
}
