"""Who reads the sentence, writes rewards and decides: rules and templates, or a language model."""
