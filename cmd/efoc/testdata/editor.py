"""Drives efoc lsp as an editor does, through pygls, a client of the protocol of which efoc has no part.
pygls reads every answer into the types of the specification, and refuses what does not fit."""

import asyncio
import sys

from lsprotocol import types as lsp
from pygls.exceptions import JsonRpcException
from pygls.lsp.client import LanguageClient

URI = "file:///atlas.efo"
# The second line has a character of two UTF-16 code units before the mistake.
TEXT = """package atlas

// Neighbours 𝔸 of a country.
query Neighbours(country entity, by relation) y =
    $by($country, y)

query Capitals(country entity) z show x =
    exists x. borders($country, x) & capital("𝔸", x) & capital(x, z)
"""
SOUND = TEXT.replace("𝔸", "Paris").replace("exists x. borders", "exists  x.  borders")


def at(text, word, nth=0, into=0):
    """The position of a word, in UTF-16 code units."""
    offset = -1
    for _ in range(nth + 1):
        offset = text.index(word, offset + 1)
    before = text[: offset + into].split("\n")
    return lsp.Position(len(before) - 1, len(before[-1].encode("utf-16-le")) // 2)


def apply(text, edits):
    """The text with edits made, whose positions count UTF-16 code units."""
    lines = [line.encode("utf-16-le") for line in text.split("\n")]
    start = [0]
    for line in lines:
        start.append(start[-1] + len(line) + 2)
    data = text.encode("utf-16-le")
    for edit in sorted(edits, key=lambda e: (e.range.start.line, e.range.start.character), reverse=True):
        a = start[edit.range.start.line] + 2 * edit.range.start.character
        b = start[edit.range.end.line] + 2 * edit.range.end.character
        data = data[:a] + edit.new_text.encode("utf-16-le") + data[b:]
    return data.decode("utf-16-le")


async def main():
    client = LanguageClient("test", "1")
    mistakes = asyncio.Queue()

    @client.feature(lsp.TEXT_DOCUMENT_PUBLISH_DIAGNOSTICS)
    def published(params):
        mistakes.put_nowait(params)

    await client.start_io("efoc", "lsp")
    try:
        await client.text_document_hover_async(lsp.HoverParams(lsp.TextDocumentIdentifier(URI), lsp.Position(0, 0)))
        raise AssertionError("a request before initialize was answered")
    except JsonRpcException as e:
        assert e.code == lsp.ErrorCodes.ServerNotInitialized, e
    started = await client.initialize_async(lsp.InitializeParams(capabilities=lsp.ClientCapabilities(), process_id=None, root_uri=None))
    assert started.capabilities.position_encoding == lsp.PositionEncodingKind.Utf16
    client.initialized(lsp.InitializedParams())

    version = 0

    async def show(text):
        """Shows a text in the editor, and returns the mistakes that are marked in it."""
        nonlocal version
        version += 1
        if version == 1:
            client.text_document_did_open(lsp.DidOpenTextDocumentParams(lsp.TextDocumentItem(URI, "efo", version, text)))
        else:
            client.text_document_did_change(
                lsp.DidChangeTextDocumentParams(
                    lsp.VersionedTextDocumentIdentifier(version, URI), [lsp.TextDocumentContentChangeWholeDocument(text)]
                )
            )
        while True:
            params = await asyncio.wait_for(mistakes.get(), 60)
            if params.version == version:
                return params.diagnostics

    document = lsp.TextDocumentIdentifier(URI)

    # An unknown entity is marked where it stands, the characters before it counted as an editor counts them.
    [mistake] = await show(TEXT)
    assert mistake.message.startswith('unknown entity "𝔸"'), mistake
    assert mistake.range == lsp.Range(at(TEXT, '"𝔸"'), at(TEXT, '"𝔸"', into=3)), mistake.range

    # All mistakes of a file are shown, with hints.
    found = await show(SOUND.replace('"Paris"', '"Pariis"').replace("$by(", "$bye("))
    assert len(found) == 2, found
    context = lsp.CodeActionContext(found)
    actions = await client.text_document_code_action_async(lsp.CodeActionParams(document, found[0].range, context))
    assert [a.title for a in actions if a.is_preferred] == ["Change to $by", 'Change to "Paris"'], actions
    assert actions[0].edit.changes[URI][0].range == found[0].range, actions
    assert "hint: did you mean" in found[0].message and "hint: did you mean" in found[1].message, found

    # While a template does not parse, the others are still read.
    broken = SOUND.replace('& capital("Paris", x) & capital(x, z)', '& capital("Par')
    assert len(await show(broken)) == 1

    async def complete(text, position):
        result = await client.text_document_completion_async(lsp.CompletionParams(document, position))
        return [(item.label, apply(text, [item.text_edit])) for item in result.items]

    # Entities are found by their beginning; what is chosen replaces what is typed.
    choices = await complete(broken, at(broken, '"Par', into=4))
    assert ('"Paris"', broken.replace('"Par', '"Paris"')) in choices, choices
    # Variables and parameters, relations, keywords.
    choices = dict(await complete(broken, at(broken, "capital(", into=8)))
    assert {"x", "z", "$country"} <= choices.keys() and "y" not in choices, choices.keys()
    choices = dict(await complete(broken, at(broken, "capital(", into=3)))
    assert choices["capital"] == broken and "exists" in choices, choices.keys()
    choices = dict(await complete(broken, at(broken, "query", into=2)))
    assert choices["query"] == broken, choices.keys()

    assert not await show(SOUND)

    async def hover(position):
        result = await client.text_document_hover_async(lsp.HoverParams(document, position))
        return result.contents.value if result else None

    # The figures are those of efoc explain, the documentation is that of the template.
    text = await hover(at(SOUND, "Neighbours", nth=1))
    assert "Neighbours Paris of a country." in text and "shape 1p, semantics mixed: " in text and "of the entity table of " in text, text
    text = await hover(at(SOUND, "borders", into=3))
    assert "relation borders, " in text and "facts" in text, text
    text = await hover(at(SOUND, '"Paris"'))
    assert "entity Paris, " in text, text
    assert await hover(lsp.Position(1, 0)) is None

    # Definitions.
    async def definition(position):
        found = await client.text_document_definition_async(lsp.DefinitionParams(document, position))
        return found.range if found else None

    assert await definition(at(SOUND, "x & capital".replace("x", "x)"))) == lsp.Range(at(SOUND, "x.  b"), at(SOUND, ".  b"))
    assert await definition(at(SOUND, "$country, x")) == lsp.Range(at(SOUND, "country entity)"), at(SOUND, " entity)"))
    assert await definition(at(SOUND, "borders")) is None

    # Formatting.
    options = lsp.FormattingOptions(tab_size=4, insert_spaces=True)
    edits = await client.text_document_formatting_async(lsp.DocumentFormattingParams(document, options))
    formatted = apply(SOUND, edits)
    assert formatted == SOUND.replace("exists  x.  borders", "exists x. borders"), formatted
    assert not await show(formatted)
    assert not await client.text_document_formatting_async(lsp.DocumentFormattingParams(document, options))

    # Too large a file, and one that closes.
    [mistake] = await show("// " + "a" * (1 << 20))
    assert "over the limit of" in mistake.message, mistake
    client.text_document_did_close(lsp.DidCloseTextDocumentParams(document))
    assert not (await asyncio.wait_for(mistakes.get(), 60)).diagnostics

    await client.shutdown_async(None)
    try:
        await client.text_document_hover_async(lsp.HoverParams(document, lsp.Position(0, 0)))
        raise AssertionError("a request after shutdown was answered")
    except JsonRpcException as e:
        assert e.code == lsp.ErrorCodes.InvalidRequest, e
    client.exit(None)
    status = await asyncio.wait_for(client._server.wait(), 60)
    assert status == 0, status
    await client.stop()


asyncio.run(main())
print("done", file=sys.stderr)
