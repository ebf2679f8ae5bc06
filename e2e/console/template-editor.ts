import type { Locator, Page } from 'playwright-core';
import { expect } from 'vitest';

export const templateEditor = (page: Page): Locator => page.getByRole('textbox', { name: 'Template as YAML' });

/** Reads the text from the screen, so the text must be short enough that the editor draws every line. */
export async function editorText(editor: Locator): Promise<string> {
  await editor.waitFor();
  expect(await editor.locator('.cm-gap').count(), 'lines that are not drawn').toBe(0);
  return (await editor.locator('.cm-line').allTextContents()).join('\n');
}

/** Selects all and pastes, as a user does. */
export async function replaceEditorText(editor: Locator, text: string): Promise<void> {
  await editor.press('Control+a');
  await editor.page().keyboard.insertText(text);
}
