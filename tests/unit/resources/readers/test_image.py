"""Pictures with words, Chinese and English, read by the real models."""

from __future__ import annotations

import pytest
from PIL import Image

from context.errors import ProjectionError
from context.types import SourceType
from resources.readers import ocr
from tests.unit.resources.readers.files import picture, png, png_claiming, read, saved


def test_chinese_and_english_are_read_in_order() -> None:
    document = read(png(picture("中山王田", "Budget 2024: total 1,250 EUR")), "照片.png")
    assert document.source_type is SourceType.OCR_TEXT and document.title == "照片"
    assert document.text.split("\n")[:1] == ["中山王田"] and "Budget 2024: total 1,250 EUR" in document.text


def test_transparent_turned_and_palette_pictures() -> None:
    drawn = picture("Meeting at noon")
    clear = drawn.convert("RGBA")
    clear.putalpha(drawn.convert("L").point(lambda shade: 0 if shade > 128 else 255))
    assert read(png(clear), "a.png").text == "Meeting at noon"
    exif = Image.Exif()
    exif[0x0112] = 6  # the camera was turned: rotate by 270 degrees to look at it
    turned = saved(lambda file: drawn.rotate(90, expand=True).save(file, "JPEG", exif=exif))
    assert read(turned, "a.jpg").text == "Meeting at noon"
    assert read(saved(lambda file: drawn.convert("P").save(file, "GIF")), "a.gif").text == "Meeting at noon"


def test_a_long_screenshot_is_read_in_strips_without_losing_a_line() -> None:
    words = [f"message number {number} of the chat" for number in range(45)]
    assert read(png(picture(*words, width=700)), "chat.png").text.split("\n") == words


def test_a_fax_of_several_pages() -> None:
    pages = [picture("first page"), picture("second page")]
    raw = saved(lambda file: pages[0].save(file, "TIFF", save_all=True, append_images=pages[1:]))
    assert [(part.anchor, part.text) for part in read(raw, "fax.tiff").parts] == [
        ("page=1", "first page"),
        ("page=2", "second page"),
    ]


def test_a_bomb_is_refused_by_its_header() -> None:
    with pytest.raises(ProjectionError, match="100 million pixels") as caught:
        read(png_claiming(60_000, 60_000), "a.png")
    assert caught.value.zh


@pytest.mark.parametrize(
    ("raw", "reason"),
    [
        (png(Image.new("RGB", (300, 200), "white")), "no text in the picture"),
        (png(picture("cut off"))[:300], "damaged"),
        (png_claiming(300, 200), "damaged"),
        (b"GIF89a", "damaged"),
    ],
    ids=["blank", "truncated", "no pixels", "only a mark"],
)
def test_what_cannot_be_read_is_a_reason(raw: bytes, reason: str) -> None:
    with pytest.raises(ProjectionError, match=reason) as caught:
        read(raw, "a.png")
    assert caught.value.zh


def test_without_the_package_it_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(ocr, "find_spec", lambda name: None)
    with pytest.raises(ProjectionError, match="not installed") as caught:
        read(png(picture("words")), "a.png")
    assert "pip install 'pocketmind[ocr]'" in (caught.value.hint or "")
