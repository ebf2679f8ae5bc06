import { Compartment } from '@codemirror/state';
import { EditorView } from '@codemirror/view';
import { type Ref, useEffect, useEffectEvent, useImperativeHandle, useRef, useState } from 'react';
import { type Finding, markFindings, offsetOf } from './findings.ts';
import { schemaSupport } from './schema-support.ts';
import { editorSetup } from './setup.ts';
import type { Schema } from './suggestions.ts';

export interface EditorHandle {
  /** Puts the cursor at a place, scrolls there and focuses the editor. */
  goTo(place: Pick<Finding, 'line' | 'column'>): void;
}

const HELP_ID = 'help';
const HELP =
  'Control and space suggest what can stand here. F8 goes to the next finding. Tab leaves the editor; Control and a square bracket indent.';

/**
 * CodeMirror with YAML, the findings and the schema of templates. It is mounted in a shadow root: only there it uses
 * constructed style sheets, which the Content-Security-Policy allows, instead of a style element.
 */
export function TemplateEditor({
  ref,
  label,
  value,
  onChange,
  findings,
  schema,
}: {
  ref?: Ref<EditorHandle>;
  label: string;
  value: string;
  onChange: (value: string) => void;
  findings: readonly Finding[];
  schema: Schema | undefined;
}) {
  const host = useRef<HTMLDivElement>(null);
  const [view, setView] = useState<EditorView>();
  const [schemaPart] = useState(() => new Compartment());
  // Texts on their way through `onChange` back to `value`. The user may have typed more meanwhile.
  const echoes = useRef(new Set<string>());
  const changed = useEffectEvent((text: string) => {
    echoes.current.add(text);
    onChange(text);
  });
  const mount = useEffectEvent((root: ShadowRoot) => {
    const onUpdate = EditorView.updateListener.of(({ docChanged, state }) => {
      if (docChanged) changed(state.doc.toString());
    });
    const extensions = [schemaPart.of([]), editorSetup(label, HELP_ID), onUpdate];
    return new EditorView({ parent: root, root, doc: value, extensions });
  });
  useEffect(() => {
    if (!host.current) return undefined;
    const root = host.current.shadowRoot ?? host.current.attachShadow({ mode: 'open' });
    // References by id do not cross a shadow root.
    const help = Object.assign(document.createElement('p'), { id: HELP_ID, hidden: true, textContent: HELP });
    root.replaceChildren(help);
    const mounted = mount(root);
    setView(mounted);
    return () => mounted.destroy();
  }, []);
  useEffect(() => {
    if (!view) return;
    const { doc } = view.state;
    const isCurrent = doc.toString() === value;
    if (!isCurrent && echoes.current.has(value)) return;
    if (!isCurrent) view.dispatch({ changes: { from: 0, to: doc.length, insert: value } });
    echoes.current.clear();
  }, [view, value]);
  useEffect(
    () => view?.dispatch({ effects: schemaPart.reconfigure(schema ? schemaSupport(schema) : []) }),
    [view, schema, schemaPart],
  );
  useEffect(() => view?.dispatch(markFindings(view.state, findings)), [view, findings]);
  useImperativeHandle(
    ref,
    () => ({
      goTo(place) {
        if (!view) return;
        const anchor = offsetOf(view.state.doc, place);
        view.dispatch({ selection: { anchor }, effects: EditorView.scrollIntoView(anchor, { y: 'center' }) });
        view.focus();
      },
    }),
    [view],
  );
  return <div ref={host} className="editor" />;
}
