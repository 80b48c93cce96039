"""Files that are made to do harm, or that are not what they say: each one ends as a reason in both languages."""

from __future__ import annotations

import io
import zipfile
from pathlib import Path

import docx
import openpyxl
import pytest

from context.errors import ProjectionError
from resources.readers.document import ReaderLimits
from resources.readers.isolated import read_document
from tests.unit.resources.readers.files import declaring, read, saved, with_members
from tests.unit.resources.readers.pdf_files import Page, pdf

OLE = bytes.fromhex("D0CF11E0A1B11AE1")


def bomb() -> bytes:
    """A Word document of some 60 kB whose text unpacks to 60 MB."""
    document = docx.Document()
    document.add_paragraph("MARK")
    inflated = b"<w:t>" + b"A" * 60_000_000 + b"</w:t>"
    return with_members(
        saved(document.save), {"word/document.xml": lambda old: old.replace(b"<w:t>MARK</w:t>", inflated)}
    )


def refused(raw: bytes, name: str) -> ProjectionError:
    with pytest.raises(ProjectionError) as caught:
        read(raw, name)
    assert caught.value.zh
    return caught.value


def test_a_zip_bomb_is_refused_by_what_it_declares() -> None:
    raw = bomb()
    assert len(raw) < 200_000
    assert "unpacks to 60 MB" in refused(raw, "bomb.docx").message
    claimed = declaring(saved(docx.Document().save), "word/document.xml", 3_000_000_000)
    assert "unpacks to 3000 MB" in refused(claimed, "claimed.docx").message


async def test_a_zip_bomb_that_lies_is_a_reason_too(tmp_path: Path) -> None:
    lying = declaring(bomb(), "word/document.xml", 2_000)
    path = tmp_path / "lying"
    path.write_bytes(lying)
    with pytest.raises(ProjectionError, match="damaged"):
        await read_document(path, name="lying.docx", limits=ReaderLimits(memory_bytes=400_000_000))


def test_entities_that_multiply_do_not() -> None:
    document = docx.Document()
    document.add_paragraph("MARK")
    levels = "".join(f'<!ENTITY e{n} "{f"&e{n - 1};" * 10}">' for n in range(1, 10))
    raw = with_members(
        saved(document.save),
        {
            "word/document.xml": lambda old: (
                f'<!DOCTYPE x [<!ENTITY e0 "ha">{levels}]>'.encode()
                + old[old.index(b"<w:document") :].replace(b"MARK", b"&e9;")
            )
        },
    )
    with pytest.raises(ProjectionError):
        read(raw, "laughs.docx")
    book = openpyxl.Workbook()
    book.active["A1"] = "MARK"
    sheet = with_members(
        saved(book.save),
        {
            "xl/worksheets/sheet1.xml": lambda old: (
                f'<!DOCTYPE x [<!ENTITY e0 "ha">{levels}]>'.encode()
                + old[old.index(b"<worksheet") :].replace(b"MARK", b"&e9;")
            )
        },
    )
    with pytest.raises(ProjectionError):
        read(sheet, "laughs.xlsx")


@pytest.mark.parametrize(
    ("stream", "words"),
    [
        ("EncryptedPackage", "password"),
        ("WordDocument", "old format of Word"),
        ("Workbook", "old format of Excel"),
        ("PowerPoint Document", "old format of PowerPoint"),
        ("Other", "old Office format"),
    ],
)
def test_old_and_locked_office_files_say_what_to_do(stream: str, words: str) -> None:
    raw = OLE + bytes(500) + stream.encode("utf-16-le") + bytes(100)
    for name in ("a.docx", "a.doc", "a.xls"):
        reason = refused(raw, name)
        assert words in reason.message and "ave it" in (reason.hint or "")
    assert "damaged" in refused(b"no container", "a.doc").message


def test_a_locked_zip_and_one_that_is_no_office_file() -> None:
    raw = saved(docx.Document().save)
    place = raw.rindex(b"PK\x01\x02")
    locked = raw[: place + 8] + bytes([raw[place + 8] | 1]) + raw[place + 9 :]
    assert "password" in refused(locked, "a.docx").message
    plain = io.BytesIO()
    with zipfile.ZipFile(plain, "w") as archive:
        archive.writestr("photo.jpg", b"x")
    assert "no Office document" in refused(plain.getvalue(), "a.docx").message


def test_a_file_is_read_as_what_it_is() -> None:
    book = openpyxl.Workbook()
    book.active.append(["Item", "Price"])
    book.active.append(["Server", 3])
    assert read(saved(book.save), "really-a-sheet.docx").parts[0].anchor == "sheet=Sheet"
    assert read(pdf([Page(["words"])]), "a.pptx").parts[0].anchor == "page=1"
    login = "<!doctype html><title>Sign in</title><body><p>Please sign in to get the report.</p></body>"
    assert "Please sign in" in read(login.encode(), "report.pdf").text


@pytest.mark.parametrize("name", ["a.pdf", "a.docx", "a.xlsx", "a.pptx", "a.png", "a.srt", "a.html", "a.txt", "a.json"])
def test_noise_under_any_name_is_a_reason_that_quotes_nothing(name: str) -> None:
    noise = bytes((position * 7_919 + position // 251) % 256 for position in range(5_000))
    for raw in (noise, b"PK\x03\x04" + noise, b"SECRET" + noise[:40]):
        reason = refused(raw, name)
        assert "SECRET" not in f"{reason.message}{reason.hint}{reason.zh}"
