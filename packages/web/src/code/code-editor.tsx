import { autocompletion, type CompletionSource, completionKeymap } from '@codemirror/autocomplete';
import { defaultKeymap, history, historyKeymap, indentWithTab } from '@codemirror/commands';
import { bracketMatching, indentUnit } from '@codemirror/language';
import { type Diagnostic, lintGutter, lintKeymap, setDiagnostics } from '@codemirror/lint';
import { Compartment, EditorState, type Extension, type Text } from '@codemirror/state';
import {
  drawSelection,
  EditorView,
  highlightActiveLine,
  highlightActiveLineGutter,
  keymap,
  lineNumbers,
} from '@codemirror/view';
import { type Ref, useEffect, useImperativeHandle, useRef } from 'react';
import { codeStyle } from './code-style.ts';

/** Something found in the text, with the place where it begins; line and column count from 1. */
interface CodeDiagnostic {
  readonly line: number;
  readonly column: number;
  readonly severity: 'error' | 'warning';
  readonly message: string;
  readonly hint?: string;
}

export interface CodeEditorHandle {
  /** Moves the caret there, and the focus to the editor. */
  goTo(line: number, column: number): void;
}

interface CodeEditorProps {
  readonly ref?: Ref<CodeEditorHandle>;
  readonly label: string;
  /** The syntax; the same object at each rendering. */
  readonly language: Extension;
  /** ID of the text that explains the keys. */
  readonly describedBy: string;
  readonly text: string;
  readonly onChange: (text: string) => void;
  /** The caret is in another line. */
  readonly onCaretLine?: (line: number) => void;
  readonly isReadOnly: boolean;
  readonly diagnostics: readonly CodeDiagnostic[];
  /** Absent: nothing is suggested. */
  readonly complete?: CompletionSource;
}

/** The position of a line and column, both from 1, in a text that may be shorter meanwhile. */
function positionOf(doc: Text, line: number, column: number): number {
  const { from, to } = doc.line(Math.min(Math.max(line, 1), doc.lines));
  return Math.min(from + column - 1, to);
}

/** A diagnostic has a beginning only: it is shown to the end of its word. */
function shownDiagnostic(doc: Text, { line, column, severity, message, hint }: CodeDiagnostic): Diagnostic {
  const from = positionOf(doc, line, column);
  const rest = doc.sliceString(from, doc.lineAt(from).to);
  const length = Math.max(1, /^["']?[\w.$-]*/.exec(rest)?.[0].length ?? 1);
  const to = Math.min(from + length, doc.length);
  return { from, to, severity, message: hint === undefined ? message : `${message} ${hint}` };
}

const readOnly = new Compartment();
const completion = new Compartment();

const isFixed = (is: boolean) => [EditorState.readOnly.of(is), EditorView.editable.of(true)];
const completing = (source: CompletionSource | undefined) =>
  source === undefined ? [] : autocompletion({ override: [source], icons: false });

/** An editor of code. Its text is that of the property `text`; the property `onChange` receives each other one. */
export function CodeEditor(props: CodeEditorProps) {
  const { ref, label, language, describedBy, text, isReadOnly, diagnostics, complete } = props;
  const place = useRef<HTMLDivElement>(null);
  const editor = useRef<EditorView | null>(null);
  /** Texts that `onChange` has received and that have not come back: an older one must not undo what was typed since. */
  const echoes = useRef(new Set<string>());
  const latest = useRef(props);
  latest.current = props;

  // biome-ignore lint/correctness/useExhaustiveDependencies: the effects below carry later values into the editor
  useEffect(() => {
    if (place.current === null) return undefined;
    const view = new EditorView({
      parent: place.current,
      doc: text,
      extensions: [
        lineNumbers(),
        highlightActiveLine(),
        highlightActiveLineGutter(),
        drawSelection(),
        history(),
        language,
        indentUnit.of('  '),
        bracketMatching(),
        lintGutter(),
        keymap.of([...completionKeymap, ...defaultKeymap, ...historyKeymap, ...lintKeymap, indentWithTab]),
        codeStyle,
        EditorView.contentAttributes.of({
          'aria-label': label,
          'aria-describedby': describedBy,
          spellcheck: 'false',
          tabindex: '0',
        }),
        EditorView.updateListener.of(({ docChanged, selectionSet, state }) => {
          if (docChanged || selectionSet)
            latest.current.onCaretLine?.(state.doc.lineAt(state.selection.main.head).number);
          if (!docChanged) return;
          const changed = state.doc.toString();
          if (changed === latest.current.text && echoes.current.size === 0) return;
          echoes.current.add(changed);
          latest.current.onChange(changed);
        }),
        readOnly.of(isFixed(isReadOnly)),
        completion.of(completing(complete)),
      ],
    });
    editor.current = view;
    return () => {
      view.destroy();
      editor.current = null;
    };
  }, [label, language, describedBy]);

  useEffect(() => {
    const view = editor.current;
    if (view === null) return;
    const shown = view.state.doc.toString();
    const isEcho = echoes.current.delete(text);
    if (shown === text) echoes.current.clear();
    if (shown === text || isEcho) return;
    view.dispatch({ changes: { from: 0, to: view.state.doc.length, insert: text } });
  }, [text]);
  useEffect(() => {
    editor.current?.dispatch({
      effects: [readOnly.reconfigure(isFixed(isReadOnly)), completion.reconfigure(completing(complete))],
    });
  }, [isReadOnly, complete]);
  useEffect(() => {
    const view = editor.current;
    if (view === null) return;
    const { state } = view;
    view.dispatch(
      setDiagnostics(
        state,
        diagnostics.map((each) => shownDiagnostic(state.doc, each)),
      ),
    );
  }, [diagnostics]);

  useImperativeHandle(
    ref,
    () => ({
      goTo: (line, column) => {
        const view = editor.current;
        if (view === null) return;
        const anchor = positionOf(view.state.doc, line, column);
        view.dispatch({ selection: { anchor }, effects: EditorView.scrollIntoView(anchor, { y: 'center' }) });
        view.focus();
      },
    }),
    [],
  );
  return <div ref={place} />;
}
