"""`python -m rpent` is the `rpent` command."""

from rpent.cli import main

if __name__ == "__main__":
    main()
