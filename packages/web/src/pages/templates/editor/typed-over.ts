import { EditorView } from '@codemirror/view';

/**
 * Replaces selected text in the state before the browser does it in the page. Chromium would keep the look of the
 * replaced text with style attributes, which the Content-Security-Policy refuses.
 */
export const replaceTypedOver = EditorView.domEventHandlers({
  beforeinput(event, view) {
    const { inputType, data } = event;
    if (inputType !== 'insertText' || data === null || view.composing || !event.cancelable) return false;
    const { state } = view;
    if (state.selection.ranges.every(({ empty }) => empty) && !data.includes('\n')) return false;
    view.dispatch(state.replaceSelection(data), { userEvent: 'input.type', scrollIntoView: true });
    return true;
  },
});
