"""The first minutes of somebody who brings a parser."""
