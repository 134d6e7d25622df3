const { workspace } = require("vscode");
const { LanguageClient } = require("vscode-languageclient/node");

let client;

exports.activate = () => {
	const settings = workspace.getConfiguration("efoc");
	const model = settings.get("model");
	const server = { command: settings.get("path"), args: model ? ["lsp", "--model", model] : ["lsp"] };
	client = new LanguageClient("efoc", server, { documentSelector: [{ language: "efo" }] });
	return client.start();
};

exports.deactivate = () => client?.stop();
