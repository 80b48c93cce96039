"""From the chats of the EverOS samples to our JSON lines: `python -m evaluation.convert_everos IN.json OUT.jsonl`."""

from __future__ import annotations

import argparse
import json
import sys
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any


def converted(document: dict[str, Any]) -> Iterator[dict[str, str]]:
    """Its messages as lines of `pocketmind sessions import`; what is no text is left out.

    Whose role is `assistant` in `user_details` speaks as the assistant, everybody else as a user. In a chat of several
    people each line names its speaker. The samples use some message ids twice; the second gets a number.
    """
    meta = document["session_meta"]
    people = meta.get("user_details", {})
    users = [key for key, person in people.items() if person.get("role") != "assistant"]
    seen: Counter[str] = Counter()
    for message in document["conversation_list"]:
        if message.get("type", "text") != "text" or not str(message.get("content", "")).strip():
            continue
        sender = message["sender"]
        person = people.get(sender, {})
        seen[message["message_id"]] += 1
        again = seen[message["message_id"]]
        line = {
            "session": meta.get("name") or meta.get("group_id") or "",
            "role": "assistant" if person.get("role") == "assistant" else "user",
            "content": message["content"],
            "sent_at": message["create_time"],
            "timezone": meta.get("default_timezone") or "UTC",
            "message_id": message["message_id"] if again == 1 else f"{message['message_id']}#{again}",
        }
        if len(users) > 1:
            line["speaker"] = person.get("full_name") or message.get("sender_name") or sender
        yield line


def main(arguments: list[str] | None = None) -> int:
    """Convert one file. Exit code: 0 written, 1 the input is not such a chat, 2 usage."""
    parser = argparse.ArgumentParser(prog="python -m evaluation.convert_everos", description=__doc__)
    parser.add_argument("source", type=Path, metavar="IN.json")
    parser.add_argument("target", type=Path, metavar="OUT.jsonl")
    options = parser.parse_args(arguments)
    try:
        document = json.loads(options.source.read_text("utf-8"))
        lines = list(converted(document))
        options.target.write_text("".join(f"{json.dumps(line, ensure_ascii=False)}\n" for line in lines), "utf-8")
    except (OSError, ValueError, KeyError, TypeError, AttributeError) as error:
        sys.stderr.write(f"{options.source}: not a chat of the EverOS samples ({type(error).__name__}: {error})\n")
        return 1
    sys.stdout.write(f"{len(lines)} of {len(document['conversation_list'])} messages written to {options.target}\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())
