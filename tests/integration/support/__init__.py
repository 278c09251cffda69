"""Helpers of the integration tests; README.md in the folder above says what is where."""
