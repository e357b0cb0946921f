"""Delivered policies: plain weights and a description, without pickles; run by numpy alone."""
