// The cookie is set; go to the page without the token in its address, and leave no entry with it in the history.
location.replace(`/${location.hash}`);
