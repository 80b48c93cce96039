"""The fixed sentences of the offline brain, in Chinese and English."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from context.types import Language, MemoryType

_ENGLISH: Final[Mapping[str, str]] = {
    # small talk
    "greeting": "Hello! Ask me about your notes and chats, or tell me something worth remembering.",
    "thanks": "You're welcome.",
    "farewell": "Bye! Your notes and chats stay here.",
    "chitchat": "I'm here. Ask me about your notes and chats, or tell me something worth remembering.",
    "help": (
        "I'm PocketMind's offline assistant. I find what is in your notes, chats and memories and quote it with its "
        "source, list or summarise what you wrote in a stretch of time, and note what you tell me about yourself."
    ),
    # lead-ins of an answer
    "lead_memory": "I remember:",
    "lead_notes": "Your notes say:",
    "lead_session": "Earlier you said:",
    "lead_mixed": "This is what I found:",
    "earlier": "An earlier record: {text}",
    "nothing": "I have nothing on that.",
    "incomplete": "Part of the search did not run ({reasons}), so something may be missing.",
    # statements and corrections
    "noted": "Noted: “{text}”. It becomes long-term memory when this session is committed.",
    "noted_without_memory": "Understood: “{text}”. This chat leaves no long-term memory, so it stays in this chat.",
    "secret": "Understood. Passwords, codes and what you ask me not to save never become long-term memory.",
    "corrected": "Noted: “{text}”. I will treat the old one as outdated at the next commit.",
    "corrected_without_memory": (
        "Understood: “{text}”. This chat leaves no long-term memory, so what is stored stays as it is; "
        "you can correct it in the memory list."
    ),
    "forget": (
        "Noted: “{text}”. I will treat it as outdated at the next commit. "
        "To remove it at once, retract it in the memory list."
    ),
    "concerns": "This concerns: {text}",
    # tasks
    "digest": "What I found ({count}):",
    "digest_decisions": "Decisions ({count}):",
    "digest_todos": "Open items ({count}):",
    "digest_without_facet": "I found no sentence that states this outright. What I found instead ({count}):",
    "digest_nothing": "I found nothing for that in your notes, chats and memories.",
    "digest_more": "… and {count} more.",
    "untitled": "Untitled",
    "cannot": "I can't do that without a chat model.",
    "cannot_but": "I can't do that without a chat model, but I found this for it:",
    # about the user
    "about_me": "This is what I know about you:",
    "about_me_nothing": "I don't know anything about you yet. Tell me something, and commit the session.",
    "about_me_count": "{label} ({count})",
    # once per session
    "no_model": (
        "(No chat model is configured: these are quoted records, not generated answers. To add one, set "
        "OPENAI_API_KEY or OPENAI_BASE_URL, and POCKETMIND_CHAT_MODEL.)"
    ),
}

_CHINESE: Final[Mapping[str, str]] = {
    "greeting": "你好！可以问我笔记和聊天里的事，也可以告诉我值得记住的事。",
    "thanks": "不客气。",
    "farewell": "再见！你的笔记和聊天都还在这里。",
    "chitchat": "我在。可以问我笔记和聊天里的事，也可以告诉我值得记住的事。",
    "help": (
        "我是 PocketMind 的离线助手：能在你的笔记、聊天和记忆里查找，并注明出处地引用原文；"
        "能列出或汇总你某段时间写下的内容；也会留意你告诉我的关于你自己的事。"
    ),
    "lead_memory": "我记得：",
    "lead_notes": "你的笔记里写着：",
    "lead_session": "你之前说过：",
    "lead_mixed": "我找到了这些：",
    "earlier": "更早的记录：{text}",
    "nothing": "我这里没有关于这件事的记录。",
    "incomplete": "有一部分检索没有完成（{reasons}），所以可能有遗漏。",
    "noted": "记下了：“{text}”。提交本次会话后，它会成为长期记忆。",
    "noted_without_memory": "明白：“{text}”。这个聊天不留下长期记忆，所以它只留在本次聊天里。",
    "secret": "明白。密码、验证码，以及你要求不保存的内容，都不会成为长期记忆。",
    "corrected": "记下了：“{text}”。下次提交时，我会把旧的记录视为过时。",
    "corrected_without_memory": "明白：“{text}”。这个聊天不留下长期记忆，已存的记录不会变；可以在记忆列表里更正。",
    "forget": "记下了：“{text}”。下次提交时，我会把它视为过时。如果要马上移除，请在记忆列表里撤回它。",
    "concerns": "涉及的记录：{text}",
    "digest": "我找到的内容（{count} 条）：",
    "digest_decisions": "决定（{count} 条）：",
    "digest_todos": "待办（{count} 条）：",
    "digest_without_facet": "没有找到明确写出这一点的句子。下面是找到的相关内容（{count} 条）：",
    "digest_nothing": "在你的笔记、聊天和记忆里，我没有找到这方面的内容。",
    "digest_more": "……还有 {count} 条。",
    "untitled": "无标题",
    "cannot": "没有聊天模型，这件事我做不了。",
    "cannot_but": "没有聊天模型，这件事我做不了，但我找到了这些相关内容：",
    "about_me": "我知道的关于你的事：",
    "about_me_nothing": "我还不了解你。告诉我一些事，然后提交会话，我就会记住。",
    "about_me_count": "{label}（{count} 条）",
    "no_model": (
        "（当前没有配置聊天模型：以上是引用的记录，不是生成的回答。要添加模型，请设置 OPENAI_API_KEY 或 "
        "OPENAI_BASE_URL，以及 POCKETMIND_CHAT_MODEL。）"
    ),
}

PHRASES: Final[Mapping[Language, Mapping[str, str]]] = {"en": _ENGLISH, "zh": _CHINESE}

MEMORY_LABELS: Final[Mapping[Language, Mapping[MemoryType, str]]] = {
    "en": {
        MemoryType.PROFILE: "About you",
        MemoryType.PREFERENCE: "Preferences",
        MemoryType.ENTITY: "People, projects and terms",
        MemoryType.EVENT: "Events and decisions",
        MemoryType.CASE: "Cases",
        MemoryType.PATTERN: "Ways of working",
        MemoryType.TOOL_EXPERIENCE: "Experience with tools",
        MemoryType.SKILL_EXECUTION: "Use of skills",
    },
    "zh": {
        MemoryType.PROFILE: "个人情况",
        MemoryType.PREFERENCE: "偏好",
        MemoryType.ENTITY: "人物、项目和术语",
        MemoryType.EVENT: "事件和决定",
        MemoryType.CASE: "案例",
        MemoryType.PATTERN: "做法",
        MemoryType.TOOL_EXPERIENCE: "工具经验",
        MemoryType.SKILL_EXECUTION: "技能使用",
    },
}


def phrase(name: str, language: Language, **values: object) -> str:
    """The sentence of that name.

    Raises:
        KeyError: there is no such sentence, or a value for it is missing.
    """
    return PHRASES[language][name].format(**values)
