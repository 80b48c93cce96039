"""Which reader takes a file: by its first bytes where they tell, else by its name, else by its media type."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import PurePath

from context.types import SourceType


@dataclass(frozen=True, slots=True, kw_only=True)
class Format:
    """A kind of file.

    Attributes:
        reader: the module of this package that reads it. Two have none: `audio` goes to a model, `legacy` to nobody,
            but people are told what to save it as.
        source_type: of the documents it usually gives.
        label, zh: what it is called in a reason.
    """

    reader: str
    source_type: SourceType
    label: str
    zh: str


HTML = Format(reader="html", source_type=SourceType.WEB_CLIP, label="a web page", zh="网页")
PDF = Format(reader="pdf", source_type=SourceType.PDF_TEXT, label="a PDF", zh="PDF")
WORD = Format(reader="word", source_type=SourceType.MARKDOWN_IMPORT, label="a Word document", zh="Word 文档")
SHEET = Format(reader="sheet", source_type=SourceType.MARKDOWN_IMPORT, label="an Excel workbook", zh="Excel 工作簿")
SLIDES = Format(reader="slides", source_type=SourceType.MARKDOWN_IMPORT, label="a presentation", zh="演示文稿")
IMAGE = Format(reader="image", source_type=SourceType.OCR_TEXT, label="a picture", zh="图片")
SUBTITLES = Format(reader="subtitles", source_type=SourceType.AUDIO_TRANSCRIPT, label="subtitles", zh="字幕")
PLAIN = Format(reader="plain", source_type=SourceType.MARKDOWN_IMPORT, label="text", zh="文本")
AUDIO = Format(reader="audio", source_type=SourceType.AUDIO_TRANSCRIPT, label="a recording", zh="录音")
LEGACY = Format(
    reader="legacy", source_type=SourceType.MARKDOWN_IMPORT, label="an old Office document", zh="旧版 Office 文档"
)

FORMATS = {format.reader: format for format in (HTML, PDF, WORD, SHEET, SLIDES, IMAGE, SUBTITLES, PLAIN, AUDIO, LEGACY)}

_CODE = (
    "rst", "org", "adoc", "tex", "toml", "ini", "cfg", "conf", "properties", "sql", "py", "pyi", "js", "mjs", "jsx",
    "ts", "tsx", "vue", "java", "kt", "scala", "groovy", "c", "h", "cc", "cpp", "hpp", "cs", "go", "rs", "rb", "php",
    "pl", "lua", "r", "jl", "swift", "m", "dart", "sh", "bash", "zsh", "fish", "ps1", "bat", "css", "scss", "less",
    "graphql", "proto", "cmake", "diff", "patch",
)  # fmt: skip
_OPENXML = "application/vnd.openxmlformats-officedocument."
_KNOWN: dict[str, tuple[Format, str]] = {
    ".html": (HTML, "text/html"),
    ".htm": (HTML, "text/html"),
    ".xhtml": (HTML, "application/xhtml+xml"),
    ".pdf": (PDF, "application/pdf"),
    ".docx": (WORD, _OPENXML + "wordprocessingml.document"),
    ".xlsx": (SHEET, _OPENXML + "spreadsheetml.sheet"),
    ".xlsm": (SHEET, "application/vnd.ms-excel.sheet.macroenabled.12"),
    ".pptx": (SLIDES, _OPENXML + "presentationml.presentation"),
    ".png": (IMAGE, "image/png"),
    ".jpg": (IMAGE, "image/jpeg"),
    ".jpeg": (IMAGE, "image/jpeg"),
    ".webp": (IMAGE, "image/webp"),
    ".bmp": (IMAGE, "image/bmp"),
    ".tif": (IMAGE, "image/tiff"),
    ".tiff": (IMAGE, "image/tiff"),
    ".gif": (IMAGE, "image/gif"),
    ".srt": (SUBTITLES, "application/x-subrip"),
    ".vtt": (SUBTITLES, "text/vtt"),
    ".lrc": (SUBTITLES, "text/x-lrc"),
    ".mp3": (AUDIO, "audio/mpeg"),
    ".m4a": (AUDIO, "audio/mp4"),
    ".wav": (AUDIO, "audio/wav"),
    ".ogg": (AUDIO, "audio/ogg"),
    ".flac": (AUDIO, "audio/flac"),
    ".webm": (AUDIO, "video/webm"),
    ".mp4": (AUDIO, "video/mp4"),
    ".doc": (LEGACY, "application/msword"),
    ".xls": (LEGACY, "application/vnd.ms-excel"),
    ".ppt": (LEGACY, "application/vnd.ms-powerpoint"),
    ".txt": (PLAIN, "text/plain"),
    ".log": (PLAIN, "text/plain"),
    ".md": (PLAIN, "text/markdown"),
    ".markdown": (PLAIN, "text/markdown"),
    ".csv": (PLAIN, "text/csv"),
    ".tsv": (PLAIN, "text/tab-separated-values"),
    ".json": (PLAIN, "application/json"),
    ".jsonl": (PLAIN, "application/x-ndjson"),
    ".xml": (PLAIN, "application/xml"),
    ".yaml": (PLAIN, "application/yaml"),
    ".yml": (PLAIN, "application/yaml"),
} | {f".{suffix}": (PLAIN, "text/plain") for suffix in _CODE}

SUFFIXES = frozenset(_KNOWN)
"""Every suffix that a reader takes, with its dot, in lower case. The old Office suffixes are among them: their
reader's whole answer is what to save the file as."""

_BY_MIME: dict[str, Format] = (
    {
        "audio/mp3": AUDIO,
        "audio/x-m4a": AUDIO,
        "audio/x-wav": AUDIO,
        "audio/wave": AUDIO,
        "audio/webm": AUDIO,
        "audio/x-flac": AUDIO,
        "text/srt": SUBTITLES,
        "text/x-markdown": PLAIN,
        "text/xml": PLAIN,
        "image/jpg": IMAGE,
    }
    | {mime: format for format, mime in _KNOWN.values() if mime != "text/plain"}
    | {"text/plain": PLAIN}
)


def source_type_of(name: str, mime: str = "") -> SourceType | None:
    """What a file of this name and media type becomes; None when no reader takes it.

    A file that is not what its name says can become something else: `Document.source_type` has the last word.
    """
    format = declared(name, mime)
    return None if format is None else format.source_type


def mime_of(name: str) -> str:
    """The media type that a name's suffix stands for, else `application/octet-stream`."""
    known = _KNOWN.get(suffix_of(name))
    return known[1] if known else "application/octet-stream"


def declared(name: str, mime: str = "") -> Format | None:
    """The format that a file claims: by its suffix, else by its media type (parameters do not count)."""
    known = _KNOWN.get(suffix_of(name))
    if known:
        return known[0]
    bare = mime.partition(";")[0].strip().lower()
    return _BY_MIME.get(bare) or (PLAIN if bare.startswith("text/") else None)


def recognise(name: str, mime: str, head: bytes) -> Format | None:
    """The format of a file: what its first bytes (1 kB is enough) prove, else what it claims; None when unknown.

    A zip archive is said to be what it claims, if that is an Office format, and else a Word document: the reader of
    Office files looks at its members (`archive.office_format`).
    """
    claimed = declared(name, mime)
    start = head.lstrip(b"\xef\xbb\xbf \t\r\n")[:64].lower()
    if b"%PDF-" in head[: 1_024 if claimed is PDF else 5]:
        return PDF
    if head.startswith(b"PK\x03\x04"):
        return claimed if claimed in OFFICE else WORD
    if head.startswith(OLE_MAGIC):
        return LEGACY
    if head.startswith(_PICTURES) or (head[:4] == b"RIFF" and head[8:12] == b"WEBP"):
        return IMAGE
    if claimed not in (HTML, PLAIN, SUBTITLES) and start.startswith((b"<!doctype html", b"<html")):
        return HTML  # a login page that was saved under the name of the file it kept away
    return claimed


def suffix_of(name: str) -> str:
    """The suffix of a file's name in lower case, with its dot."""
    return PurePath(name.replace("\\", "/")).suffix.lower()


def stem_of(name: str) -> str:
    """A file's name without folders and suffix: what it is called when it does not say."""
    return PurePath(name.replace("\\", "/")).stem or name


OFFICE = frozenset({WORD, SHEET, SLIDES})
OLE_MAGIC = bytes.fromhex("D0CF11E0A1B11AE1")
"""The container of Office files before 2007, and of those with a password since."""
_PICTURES = (b"\x89PNG\r\n\x1a\n", b"\xff\xd8\xff", b"GIF87a", b"GIF89a", b"II*\x00", b"MM\x00*")
