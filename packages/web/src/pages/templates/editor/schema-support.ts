import { autocompletion, type Completion, type CompletionSource, ifNotIn } from '@codemirror/autocomplete';
import { syntaxTree } from '@codemirror/language';
import type { Extension } from '@codemirror/state';
import { type HoverTooltipSource, hoverTooltip } from '@codemirror/view';
import { type Schema, type Suggestion, schemaAt, suggestionsAt } from './suggestions.ts';
import { placeAt } from './yaml-place.ts';

/** Completes keys and values from the schema, and describes the key under the pointer. */
export const schemaSupport = (schema: Schema): Extension => [
  autocompletion({
    override: [ifNotIn(['BlockLiteral', 'Comment', 'FlowMapping', 'FlowSequence', 'QuotedLiteral'], complete(schema))],
    icons: false,
    // A window on the list instead of scrolling, which the keyboard could not reach: focus stays in the text.
    maxRenderedOptions: 8,
    // The list follows each key at once, so no key that was meant for the text reaches a list that came late.
    activateOnTypingDelay: 0,
    interactionDelay: 0,
  }),
  hoverTooltip(describe(schema)),
];

const complete =
  (schema: Schema): CompletionSource =>
  ({ state, pos, explicit }) => {
    const { all, replaces } = suggestionsAt(state.doc.toString(), pos, schema);
    if (all.length === 0 || (replaces === 0 && !explicit)) return null;
    // The suggestions are in order, and Enter must not pick what is already typed in full.
    return { from: pos - replaces, options: all.map(toCompletion), filter: false, getMatch: () => [0, replaces] };
  };

const toCompletion = ({ label, about, text, isRequired }: Suggestion): Completion => ({
  label,
  apply: text,
  ...(isRequired && { detail: 'required' }),
  ...(about && { info: about }),
});

const describe =
  (schema: Schema): HoverTooltipSource =>
  ({ state }, pos, side) => {
    const node = syntaxTree(state).resolveInner(pos, side);
    if (node.name !== 'Literal' || node.parent?.name !== 'Key') return null;
    const place = placeAt(state.doc.toString(), node.from);
    const key = state.sliceDoc(node.from, node.to);
    const about = place && schemaAt(schema, [...place.path, key])?.description;
    if (!about) return null;
    return {
      pos: node.from,
      end: node.to,
      above: true,
      create() {
        const dom = document.createElement('div');
        dom.className = 'cm-description';
        dom.textContent = about;
        return { dom };
      },
    };
  };
