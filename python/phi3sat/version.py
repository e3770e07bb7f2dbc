"""The version of this package, which is phi3sat's."""
__version__ = "0.1.0"
FORMAT_VERSION = 1
