// What the bundle exports: oh-my-pi's own functions, unchanged. setup.mjs resolves the names.
export { default as gemini } from "pi-ai/dialect/gemini";
export { default as gemma } from "pi-ai/dialect/gemma";
export { createInbandScanner, getDialectDefinition } from "pi-ai/dialect/factory";
export { renderInbandToolPrompt, renderToolCatalog } from "pi-ai/dialect/catalog";
export { encodeInbandToolHistory } from "pi-ai/dialect/history";
export { parseInbandToolMessage, wrapInbandToolStream } from "pi-ai/dialect/owned-stream";
export { AssistantMessageEventStream } from "pi-ai/utils/event-stream";
export { preferredDialect } from "@oh-my-pi/pi-catalog/identity";
