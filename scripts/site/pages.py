"""Turns docs/, which is written to be read on a Git host, into pages of MkDocs (its hooks, in the order of their calls)."""
import os
import pathlib
import re

from mkdocs.structure.files import File

RUNBOOKS = "runbooks"
SECTION = re.compile(r"^## (.+)$", re.MULTILINE)
ROW = re.compile(r"^\| \[[^]]+\]\(([^)]+)\) \|", re.MULTILINE)
FENCE = re.compile(r"^```(\w+) \w+$", re.MULTILINE)
LINK = re.compile(r"(?<!!)\[([^]]+)\]\(([^)\s]+)\)")


def slug(text, separator):
    """Returns the anchor that Git hosts give a heading."""
    return re.sub(r"[^\w\- ]", "", text.strip().lower()).replace(" ", separator)


def title(file):
    return file.read_text(encoding="utf-8").partition("\n")[0].removeprefix("# ")


def sections(docs):
    """Returns the sections of docs/README.md and the pages in their tables."""
    parts = SECTION.split((docs / "README.md").read_text(encoding="utf-8"))
    for title, text in zip(parts[1::2], parts[2::2], strict=True):
        pages = ROW.findall(text)
        if RUNBOOKS in pages:
            files = [f"{RUNBOOKS}/index.md", *sorted(f"{RUNBOOKS}/{file.name}" for file in (docs / RUNBOOKS).glob("*.md"))]
            pages[pages.index(RUNBOOKS)] = {"Runbooks": files}
        yield title, pages


def on_config(config):
    docs = pathlib.Path(config.docs_dir)
    config.nav = ["README.md", *({title: pages} for title, pages in sections(docs))]
    config.mdx_configs["toc"]["slugify"] = slug
    return config


def on_files(files, config):
    """Adds the list of runbooks, which a Git host shows as a folder."""
    lines = ["# Runbooks", "", "For each alert: what it means, how to find the cause, what to do.", ""]
    for file in sorted((pathlib.Path(config.docs_dir) / RUNBOOKS).glob("*.md")):
        lines.append(f"- [{file.stem}]({file.name})")
    files.append(File.generated(config, f"{RUNBOOKS}/index.md", content="\n".join(lines) + "\n"))
    return files


def on_page_markdown(markdown, page, config, files):
    docs = pathlib.Path(config.docs_dir)
    folder = pathlib.PurePosixPath(page.file.src_uri).parent

    def linked(match):
        text, target = match.groups()
        path, _, anchor = target.partition("#")
        if ":" in path or not path:
            return match.group()
        inside = os.path.normpath(folder / path)
        if inside == RUNBOOKS:
            return f"[Runbooks]({target}/index.md)"
        if not inside.startswith("../"):
            named_for_file = text == path and path.endswith(".md")
            return f"[{title(docs / inside)}]({target})" if named_for_file else match.group()
        if not config.repo_url:
            return text  # there is nowhere to link to
        place = f"{config.repo_url.rstrip('/')}/blob/HEAD/{inside.removeprefix('../')}"
        return f"[{text}]({place}{'#' + anchor if anchor else ''})"

    return LINK.sub(linked, FENCE.sub(r"```\1", markdown))
