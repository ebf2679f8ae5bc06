import { defaultKeymap, history, historyKeymap } from '@codemirror/commands';
import { yaml } from '@codemirror/lang-yaml';
import { forEachDiagnostic, lintGutter, nextDiagnostic, previousDiagnostic } from '@codemirror/lint';
import { search, searchKeymap } from '@codemirror/search';
import { EditorState, type Extension } from '@codemirror/state';
import {
  drawSelection,
  EditorView,
  highlightActiveLine,
  highlightActiveLineGutter,
  highlightSpecialChars,
  keymap,
  lineNumbers,
} from '@codemirror/view';
import { editorTheme } from './theme.ts';
import { replaceTypedOver } from './typed-over.ts';

/** Everything of the editor except the schema, which arrives later. Tab is bound to nothing: it leaves the editor. */
export const editorSetup = (label: string, helpId: string): Extension => [
  lintGutter(),
  lineNumbers(),
  highlightSpecialChars(),
  highlightActiveLine(),
  highlightActiveLineGutter(),
  history(),
  drawSelection(),
  EditorState.allowMultipleSelections.of(true),
  replaceTypedOver,
  search({ top: true }),
  EditorState.phrases.of(PHRASES),
  yaml(),
  keymap.of([
    { key: 'F8', run: nextDiagnostic },
    { key: 'Shift-F8', run: previousDiagnostic },
    ...searchKeymap,
    ...historyKeymap,
    ...defaultKeymap,
  ]),
  // The index says to accessibility checks what editable content is anyway: reachable by keyboard, so that it can be scrolled.
  EditorView.contentAttributes.of({ 'aria-label': label, 'aria-describedby': helpId, tabindex: '0' }),
  EditorView.contentAttributes.of(({ state }) => (hasError(state) ? { 'aria-invalid': 'true' } : null)),
  editorTheme,
];

/** Words of the search panel, as the console writes them. */
const PHRASES = {
  next: 'Next',
  previous: 'Previous',
  all: 'Select all',
  'match case': 'Match case',
  regexp: 'Regular expression',
  'by word': 'Whole words',
  replace: 'Replace',
  'replace all': 'Replace all',
  close: 'Close',
};

function hasError(state: EditorState): boolean {
  let found = false;
  forEachDiagnostic(state, ({ severity }) => {
    found ||= severity === 'error';
  });
  return found;
}
