"""Made-up conversations in the formats of LoCoMo and MemoryBank: small, and with the faults that theirs have."""

from __future__ import annotations

import json
from pathlib import Path

LOCOMO = [
    {
        "sample_id": "conv-1",
        "conversation": {
            "speaker_a": "Ada",
            "speaker_b": "Ben",
            "session_1_date_time": "11:59 pm on 8 May, 2023",
            "session_1": [
                {"speaker": "Ada", "dia_id": "D1:1", "text": "I have started to learn the violin."},
                {
                    "speaker": "Ben",
                    "dia_id": "D1:2",
                    "text": "And I bought a boat at the harbour!",
                    "blip_caption": "a red kayak",
                },
                {"speaker": "Ada", "dia_id": "D1:3", "text": "Nice. Shall we have lunch?"},
            ],
            "session_2_date_time": "9:00 am on 3 June, 2023",
            "session_2": [
                {"speaker": "Ben", "dia_id": "D2:1", "text": "My kayak sank near the lighthouse."},
                {"speaker": "Ada", "dia_id": "D2:2", "text": "My sister Clara moved to Lisbon."},
            ],
            "session_3_date_time": "9:00 am on 4 June, 2023",
        },
        "qa": [
            {"question": "What did Ben buy at the harbour?", "evidence": ["D1:2"], "category": 4, "answer": "a kayak"},
            {"question": "What happened to the kayak?", "evidence": ["D:1:02; D2:1"], "category": 1, "answer": "sank"},
            {"question": "Would Ada like Paris?", "evidence": ["D", "D9:1"], "category": 3, "answer": "yes"},
            {"question": "Who of Ben's family moved to Lisbon?", "evidence": ["D2:2"], "category": 5},
        ],
    }
]
AUDIT = [
    {"question_id": "locomo_0_qa0", "error_type": "WRONG_CITATION", "correct_evidence": ["D1:1"]},
    {"question_id": "locomo_0_qa1", "error_type": "HALLUCINATION", "correct_evidence": ["D1:1"]},
]
BANK = {
    "李雷": {
        "history": {
            "2023-04-27": [
                {"query": "我今天在公园跑步了。", "response": "跑了多久呢？"},
                {"query": "我养了一只叫豆豆的猫。", "response": "真可爱！"},
            ],
            "2023-05-03": [{"query": "我去图书馆读了《三体》。", "response": "那是一本科幻小说。"}],
        }
    },
    "韩梅": {"history": {"2023-05-01": [{"query": "我妹妹搬到了厦门。", "response": "厦门很美。"}]}},
}
LABELS = [
    {
        "qid": "0",
        "user": "李雷",
        "question": "5月3日我在图书馆读了什么书？",
        "kind": "user_said",
        "date_anchored": True,
        "evidence": ["2023-05-03#0"],
        "also_relevant": ["2023-04-27#1"],
    },
    {
        "qid": "1",
        "user": "韩梅",
        "question": "我妹妹搬到了哪个城市？",
        "kind": "user_said",
        "date_anchored": False,
        "evidence": ["2023-05-01#0"],
        "also_relevant": [],
    },
]


def write_locomo(folder: Path) -> Path:
    """The conversations with their audit; the file that names the set."""
    (folder / "audit_errors.json").write_text(json.dumps(AUDIT), "utf-8")
    file = folder / "locomo10.json"
    file.write_text(json.dumps(LOCOMO), "utf-8")
    return file


def write_memorybank(folder: Path) -> Path:
    """The exchanges with their labels; the file that names the set."""
    (folder / "evidence_labels.json").write_text(json.dumps(LABELS, ensure_ascii=False), "utf-8")
    file = folder / "memory_bank_cn.json"
    file.write_text(json.dumps(BANK, ensure_ascii=False), "utf-8")
    return file
