"""A document, in the emulator, where TeX is what the machine has."""

import shutil

import pytest
from sand.emulator.results import CallFailed

DOCUMENT = r"\documentclass{article}\begin{document}\section{One}\label{one}See \ref{one}. \input{rest}\end{document}"


def document(sand_application):
    process = sand_application.process("thesis")
    process.invoke("update", {"name": "main.tex", "text": DOCUMENT})
    assert process.invoke("update", {"name": "rest.tex", "text": "The rest."}) == ["main.tex", "rest.tex"]
    return process


def test_who_gets_a_file_gets_its_newest_version(sand_application):
    process = document(sand_application)
    process.invoke("update", {"name": "rest.tex", "text": "The rest, again."})
    process.swap_out()
    assert process.invoke("get", {"name": "rest.tex"}) == {"name": "rest.tex", "text": "The rest, again."}
    assert process.invoke("update", {"name": "rest.tex", "text": None}) == ["main.tex"]
    with pytest.raises(CallFailed, match=r"no file rest\.tex"):
        process.invoke("get", {"name": "rest.tex"})


@pytest.mark.parametrize("name", ["../elsewhere.tex", "/etc/passwd", "", ".hidden", "a/b"])
def test_a_file_has_a_plain_name(sand_application, name):
    with pytest.raises(CallFailed, match="no name of a file"):
        sand_application.process("thesis").invoke("update", {"name": name, "text": ""})


def test_what_was_not_compiled_has_no_pdf(sand_application):
    with pytest.raises(CallFailed, match="not been compiled"):
        document(sand_application).invoke("pdf")


@pytest.mark.skipif(shutil.which("pdflatex") is not None, reason="TeX is here")
def test_without_tex_it_says_how_to_get_it(sand_application):
    with pytest.raises(CallFailed, match="texlive-latex-base"):
        document(sand_application).invoke("compile", {})


@pytest.mark.skipif(shutil.which("pdflatex") is None, reason="TeX is not here")
def test_a_document_is_compiled(sand_application):
    process = document(sand_application)
    assert process.invoke("compile", {})["runs"] > 1
    assert bytes(process.invoke("pdf")).startswith(b"%PDF")
    assert process.invoke("compile", {})["runs"] == 1
    process.invoke("update", {"name": "rest.tex", "text": r"\unknown"})
    with pytest.raises(CallFailed, match="Undefined control sequence"):
        process.invoke("compile", {})
