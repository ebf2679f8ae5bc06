import { HighlightStyle, syntaxHighlighting } from '@codemirror/language';
import type { Extension } from '@codemirror/state';
import { EditorView } from '@codemirror/view';
import { tags } from '@lezer/highlight';

/** Keys stand out, values are ink, what YAML itself needs is faint. */
const highlighting = HighlightStyle.define([
  { tag: tags.definition(tags.propertyName), color: 'var(--link)', fontWeight: '550' },
  { tag: tags.string, color: 'var(--log-2)' },
  { tag: [tags.typeName, tags.labelName, tags.keyword], color: 'var(--log-3)' },
  {
    tag: [tags.separator, tags.punctuation, tags.bracket, tags.meta, tags.special(tags.string)],
    color: 'var(--ink-3)',
  },
  { tag: tags.lineComment, color: 'var(--ink-3)', fontStyle: 'italic' },
]);

const floating = {
  border: '0',
  borderRadius: 'var(--r2)',
  background: 'var(--sheet)',
  color: 'var(--ink)',
  boxShadow: 'var(--shadow-2)',
  font: '450 var(--text-sm) / 1.45 var(--font-sans)',
};

/** Marks of findings have the shapes of the console's statuses. */
const marker = { content: 'none', width: '8px', height: '8px', margin: '6px 0 0 5px' };

/** The console's tokens, which a shadow root inherits; both themes change with them. */
const appearance = EditorView.theme({
  '&': { height: '100%', background: 'var(--sheet)', color: 'var(--ink)' },
  '&.cm-focused': { outline: 'none' },
  '.cm-scroller': { font: '450 13px / 20px var(--font-mono)' },
  '.cm-content': { padding: '10px 0', caretColor: 'var(--ink)' },
  '.cm-line': { padding: '0 10px' },
  '.cm-cursor, .cm-dropCursor': { borderLeftColor: 'var(--ink)' },
  '&.cm-focused > .cm-scroller > .cm-selectionLayer .cm-selectionBackground, .cm-selectionBackground': {
    background: 'var(--leaf-2)',
  },
  '.cm-activeLine': { background: 'none' },
  '&.cm-focused .cm-activeLine': { background: 'color-mix(in srgb, var(--hover) 60%, transparent)' },
  '.cm-gutters': {
    border: '0',
    borderRight: '1px solid var(--line)',
    background: 'var(--sunken)',
    color: 'var(--ink-3)',
  },
  '.cm-activeLineGutter': { background: 'none' },
  '&.cm-focused .cm-activeLineGutter': { color: 'var(--ink)' },
  '.cm-lineNumbers .cm-gutterElement': { minWidth: '30px', padding: '0 8px 0 2px' },
  '.cm-gutter-lint': { width: '16px' },
  '.cm-gutter-lint .cm-gutterElement': { padding: '0' },
  '.cm-lint-marker-error': {
    ...marker,
    background: 'var(--bad)',
    borderRadius: '1px',
    transform: 'rotate(45deg) scale(0.86)',
  },
  '.cm-lint-marker-warning': { ...marker, background: 'var(--warn)', clipPath: 'polygon(50% 2%, 100% 94%, 0 94%)' },
  '.cm-lintRange': { backgroundImage: 'none', paddingBottom: '0' },
  '.cm-lintRange-error': { textDecoration: 'underline wavy 1px var(--bad)', textUnderlineOffset: '4px' },
  '.cm-lintRange-warning': { textDecoration: 'underline wavy 1px var(--warn)', textUnderlineOffset: '4px' },
  '.cm-lintRange-active': { backgroundColor: 'var(--hover)' },
  '.cm-searchMatch': { background: 'var(--warn-1)', outline: '1px solid var(--warn)' },
  '.cm-searchMatch-selected': { background: 'var(--bloom-1)', outline: '1px solid var(--bloom)' },
  '.cm-selectionMatch': { background: 'var(--leaf-1)' },

  '.cm-tooltip': { ...floating, maxWidth: 'min(420px, 90vw)' },
  '.cm-tooltip .cm-tooltip-section:not(:first-child)': { borderTop: '1px solid var(--line)' },
  '.cm-description': { padding: '6px 10px' },
  '.cm-diagnostic': { padding: '6px 10px', whiteSpace: 'normal', borderLeft: '3px solid' },
  '.cm-diagnostic-error': { borderLeftColor: 'var(--bad)' },
  '.cm-diagnostic-warning': { borderLeftColor: 'var(--warn)' },
  '.cm-tooltip.cm-tooltip-autocomplete': { padding: '4px' },
  '.cm-tooltip.cm-tooltip-autocomplete > ul': { maxHeight: 'none', overflow: 'hidden', fontFamily: 'var(--font-mono)' },
  '.cm-tooltip.cm-tooltip-autocomplete > ul > li': { padding: '2px 8px', borderRadius: 'var(--r1)' },
  '.cm-tooltip.cm-tooltip-autocomplete > ul > li[aria-selected]': { background: 'var(--leaf-1)', color: 'var(--ink)' },
  '.cm-completionMatchedText': { fontWeight: '650', textDecoration: 'none' },
  '.cm-completionDetail': { font: '450 var(--text-xs) var(--font-sans)', color: 'var(--ink-3)' },
  '.cm-tooltip.cm-completionInfo': { padding: '6px 10px', color: 'var(--ink-2)' },

  '.cm-panels': { background: 'var(--sunken)', color: 'var(--ink)' },
  '.cm-panels.cm-panels-top': { borderBottom: '1px solid var(--line)' },
  '.cm-panel.cm-search, .cm-dialog': { padding: '8px 10px', font: '450 var(--text-sm) / 1.6 var(--font-sans)' },
  '.cm-panel.cm-search label': { display: 'inline-flex', alignItems: 'center', gap: '2px', fontSize: 'var(--text-sm)' },
  '.cm-panel input[type=checkbox]': { accentColor: 'var(--primary)' },
  '.cm-textfield': {
    height: 'var(--control-sm)',
    padding: '0 8px',
    border: '1px solid var(--edge)',
    borderRadius: 'var(--r2)',
    background: 'var(--sheet)',
    color: 'var(--ink)',
    font: '450 var(--text-sm) var(--font-mono)',
  },
  '.cm-button': {
    height: 'var(--control-sm)',
    padding: '0 10px',
    border: '1px solid var(--line-strong)',
    borderRadius: 'var(--r2)',
    background: 'var(--sheet)',
    color: 'var(--ink)',
    font: '550 var(--text-sm) var(--font-sans)',
    cursor: 'pointer',
    '&:hover': { background: 'var(--hover)', borderColor: 'var(--edge)' },
  },
  '.cm-panel.cm-search [name=close]': {
    width: '24px',
    height: '24px',
    fontSize: 'var(--text-lg)',
    color: 'var(--ink-2)',
    cursor: 'pointer',
  },
  '.cm-panel :focus-visible': { outline: '2px solid var(--bloom)', outlineOffset: '1px' },
});

export const editorTheme: Extension = [appearance, syntaxHighlighting(highlighting)];
