"""The container of an Office file, looked at before anything in it is opened: what it is, and whether it is a bomb."""

from __future__ import annotations

import io
import zipfile

from context.errors import ProjectionError
from resources.readers.document import ReaderLimits
from resources.readers.registry import OLE_MAGIC, SHEET, SLIDES, WORD, Format
from resources.readers.source import damaged, locked

_MOST_MEMBERS = 50_000
_RATIO_FROM = 10_000_000
"""Bytes below which a high ratio is no sign of anything: an empty workbook of many sheets packs 100 to 1."""
_MAIN_PARTS = (("word/", WORD), ("xl/", SHEET), ("ppt/", SLIDES))
_SAVE_AS = (
    ("WordDocument", "docx", "Word"),
    ("PowerPoint Document", "pptx", "PowerPoint"),
    ("Workbook", "xlsx", "Excel"),
    ("Book", "xlsx", "Excel"),
)
"""Streams of the OLE container that tell what wrote it ([MS-DOC] 2.1, [MS-PPT] 2.1, [MS-XLS] 2.1)."""


def office_format(raw: bytes, limits: ReaderLimits) -> Format:
    """What an Office file in a zip archive is, by its members.

    The sizes that the archive declares are summed. A member that is longer than it declares is cut there by `zipfile`
    and then fails its checksum, so that a lie gains nothing; the memory limit stands behind that.

    Raises:
        ProjectionError: no zip archive, damaged, locked with a password, a bomb, or no Office file.
    """
    try:
        with zipfile.ZipFile(io.BytesIO(raw)) as archive:
            members = archive.infolist()
    except (zipfile.BadZipFile, ValueError, OSError, NotImplementedError) as error:
        raise damaged("an Office document", "Office 文档", type(error).__name__) from error
    unpacked = sum(member.file_size for member in members)
    absurd = unpacked > _RATIO_FROM and unpacked > limits.unpacked_ratio * len(raw)
    if len(members) > _MOST_MEMBERS or unpacked > limits.unpacked_bytes or absurd:
        raise ProjectionError(
            f"The file unpacks to {unpacked // 1_000_000} MB, {unpacked // max(1, len(raw))} times its own size: "
            "it is not opened.",
            zh=f"文件解压后有 {unpacked // 1_000_000} MB，是自身大小的 {unpacked // max(1, len(raw))} 倍，未打开。",
        )
    if any(member.flag_bits & 1 for member in members):
        raise locked()
    names = [member.filename for member in members]
    for folder, format in _MAIN_PARTS:
        if any(name.startswith(folder) for name in names):
            return format
    if "mimetype" in names and "content.xml" in names:
        raise ProjectionError(
            "The file is an OpenDocument, which is not read.",
            hint="Open it and save it as .docx, .xlsx or .pptx.",
            zh="这是 OpenDocument 格式，无法读取；请打开后另存为 .docx、.xlsx 或 .pptx。",
        )
    raise ProjectionError(
        "The file is a zip archive, but no Office document.",
        hint="Unpack it and add the files in it.",
        zh="文件是 zip 压缩包，不是 Office 文档。",
    )


def old_office(raw: bytes) -> ProjectionError:
    """Why a file in the OLE container (or one that is named like those) is not read, and what to save it as."""
    if not raw.startswith(OLE_MAGIC):
        return damaged("an old Office document", "旧版 Office 文档")
    if _has_stream(raw, "EncryptedPackage"):
        return locked()
    for stream, suffix, program in _SAVE_AS:
        if _has_stream(raw, stream):
            return ProjectionError(
                f"The file is in the old format of {program}, which is not read.",
                hint=f"Open it and save it as .{suffix}.",
                zh=f"这是旧版 {program} 格式，无法读取；请打开后另存为 .{suffix}。",
            )
    return ProjectionError(
        "The file is in an old Office format, which is not read.",
        hint="Open it and save it as .docx, .xlsx or .pptx.",
        zh="这是旧版 Office 格式，无法读取；请打开后另存为 .docx、.xlsx 或 .pptx。",
    )


def _has_stream(raw: bytes, name: str) -> bool:
    """Whether the container's directory has an entry of this name: UTF-16, ended by NUL ([MS-CFB] 2.6.1)."""
    return name.encode("utf-16-le") + b"\x00\x00" in raw
