import { leaderApi } from '@lcs/contract';
import { parseIni } from '@lcs/contract/ini';
import { SettingPositions } from '@lcs/domain';
import { Alert, Button, Group, Tabs, Text } from '@mantine/core';
import { useCallback, useEffect, useId, useMemo, useRef, useState } from 'react';
import type { ConfigFileText } from '../api/query-keys.ts';
import { CodeEditor, type CodeEditorHandle } from '../code/code-editor.tsx';
import { useDraft } from '../code/use-draft.ts';
import { VersionNotices } from '../code/version-notices.tsx';
import { useMay } from '../services/use-may.ts';
import { CheckIcon, WarningIcon } from '../ui/icons.tsx';
import { LeaveGuard } from '../ui/leave-guard.tsx';
import { Panel } from '../ui/panel.tsx';
import { ProblemAlert } from '../ui/problem-alert.tsx';
import { commonWords } from '../words/common.ts';
import { configWords } from '../words/config.ts';
import { ChangedSettings } from './changed-settings.tsx';
import styles from './config-editor.module.css';
import { allFindings, findingsOf, isConflict, liveFindings } from './config-findings.ts';
import { Findings } from './config-findings-list.tsx';
import { ConfigForm } from './config-form.tsx';
import { ConfigHistory } from './config-history.tsx';
import { type ChangedSetting, changedSettings, configFields, withoutEmpty, withSetting } from './config-settings.ts';
import { ConflictDialog } from './conflict-dialog.tsx';
import { DiffView } from './diff-view.tsx';
import { iniLanguage } from './ini-language.ts';
import { savedText } from './saved-text.ts';
import { useConfigFile, useSaveConfig } from './use-config-file.ts';

interface ConfigEditorProps {
  /** Absent: the shared file. */
  readonly unit: string | undefined;
  /** The version on the leader. */
  readonly current: ConfigFileText;
  /** What the search of the form has at first. */
  readonly find: string;
}

type View = 'form' | 'text';
const isView = (value: string | null): value is View => value === 'form' || value === 'text';

/** Shows the form or the text; a place of the text is shown as soon as the text is. */
function useView() {
  const [view, setView] = useState<View>('form');
  const [target, setTarget] = useState<{ readonly line: number; readonly column: number }>();
  const editor = useRef<CodeEditorHandle>(null);
  useEffect(() => {
    if (view !== 'text' || target === undefined) return;
    editor.current?.goTo(target.line, target.column);
    setTarget(undefined);
  }, [view, target]);
  const goTo = useCallback((line: number, column: number): void => {
    setView('text');
    setTarget({ line, column });
  }, []);
  return { view, setView, editor, goTo };
}

/** The draft of a configuration file, what is wrong in it, and how it is saved. */
function useConfigDraft({ unit, current }: Omit<ConfigEditorProps, 'find'>) {
  const save = useSaveConfig(unit);
  const draft = useDraft(current, save.variables?.code);
  const [isAsking, setAsking] = useState(false);
  const [said, say] = useState('');
  const { text } = draft;
  const live = useMemo(() => liveFindings(text), [text]);
  // What the leader found concerns the text that it was sent.
  const isOfThisText = save.variables?.code === text;
  const refused = isOfThisText ? findingsOf(save.error) : [];
  const warnings = isOfThisText ? (save.data?.diagnostics ?? []) : [];
  const submit = (basedOn: string | undefined): void => {
    setAsking(false);
    const settle = {
      onSuccess: () => {
        say(savedText(current.text, text));
        draft.dropSaved(text);
      },
      onError: (error: unknown) => setAsking(isConflict(error)),
    };
    save.mutate({ code: text, basedOn }, settle);
  };
  return {
    ...draft,
    save,
    /** What a save that succeeded means. */
    said,
    findings: allFindings(live, [...refused, ...warnings]),
    isRefused: refused.length > 0,
    isAsking: isAsking && draft.isOutdated,
    stopAsking: () => setAsking(false),
    /** Asks first when another person has saved the file meanwhile. */
    trySave: () => (draft.isOutdated ? setAsking(true) : submit(draft.base.version)),
    overwrite: () => submit(current.version),
    showSaved: () => {
      setAsking(false);
      draft.showSaved();
    },
  };
}

type ConfigDraft = ReturnType<typeof useConfigDraft>;

function DraftFindings({
  draft: { findings, isRefused },
  onGoTo,
}: {
  readonly draft: ConfigDraft;
  readonly onGoTo: (line: number, column: number) => void;
}) {
  const errors = findings.filter(({ severity }) => severity === 'error');
  const warnings = findings.filter(({ severity }) => severity === 'warning');
  return (
    <>
      {errors.length > 0 && (
        <Alert
          color="red"
          variant="light"
          icon={<WarningIcon />}
          title={isRefused ? configWords.notSaved : configWords.correctFirst}
          role="alert"
          mb="xs"
        >
          <Findings findings={errors} onGoTo={onGoTo} />
        </Alert>
      )}
      {warnings.length > 0 && <Findings findings={warnings} onGoTo={onGoTo} />}
    </>
  );
}

function SaveButtons({
  draft,
  gate,
}: {
  readonly draft: ConfigDraft;
  readonly gate: ReturnType<ReturnType<typeof useMay>>;
}) {
  const { isEdited, save, discard, trySave } = draft;
  return (
    <Group gap="xs">
      {isEdited && (
        <Button size="xs" variant="default" onClick={discard}>
          {commonWords.discardChanges}
        </Button>
      )}
      <Button size="xs" disabled={!isEdited} loading={save.isPending} onClick={trySave} {...gate}>
        {commonWords.save}
      </Button>
    </Group>
  );
}

/** Edits and saves one configuration file as a form or as text, and loads earlier versions. */
export function ConfigEditor({ unit, current, find }: ConfigEditorProps) {
  const draft = useConfigDraft({ unit, current });
  const { view, setView, editor, goTo } = useView();
  const shared = useConfigFile(undefined);
  const may = useMay();
  const gate = may(unit === undefined ? leaderApi.saveSharedConfig : leaderApi.saveSpecificConfig);
  const isReadOnly = gate.disabled ?? false;
  const helpId = useId();
  const { text, save, isEdited, edit, findings } = draft;
  const reference = useMemo(
    () => ({ shared: unit === undefined ? undefined : parseIni(shared.data?.text ?? '').document.view() }),
    [unit, shared.data],
  );
  const { sections, changed } = useMemo(() => {
    const { document } = parseIni(text);
    return { sections: configFields(document, reference), changed: changedSettings(document, reference) };
  }, [text, reference]);
  const change = (section: string, key: string, value: string): void => {
    const changedText = withSetting(text, section, key, value);
    if (changedText !== undefined) edit(changedText);
  };
  const removeEmpty = (section: string, key: string): void => edit(withoutEmpty(text, section, key));
  const reset = ({ field: { section, key, inherited }, usual }: ChangedSetting): void => {
    // A value of [DEFAULT] is overridden by an own one.
    const value = unit === undefined || inherited !== '' ? usual : '';
    edit(withoutEmpty(withSetting(text, section, key, value) ?? text, section, key));
  };
  const show = (section: string, key: string): void => {
    const { line, column } = new SettingPositions(text).of(section, key);
    goTo(line, column);
  };
  const label = unit === undefined ? configWords.sharedConfiguration : configWords.configurationOf(unit);
  const isPlainFault = save.error !== null && !isConflict(save.error) && findingsOf(save.error).length === 0;
  return (
    <>
      <LeaveGuard what={label.toLowerCase()} isUnsaved={isEdited || draft.setAside !== undefined} />
      <Panel title={label} aside={!isEdited && <SaveButtons draft={draft} gate={gate} />}>
        <VersionNotices draft={draft} history={configWords.earlierVersionsBelow} onOverwrite={draft.overwrite} />
        {isPlainFault && <ProblemAlert error={save.error} />}
        <DraftFindings draft={draft} onGoTo={goTo} />
        {save.isSuccess && !isEdited && (
          <Text size="sm" role="status">
            <CheckIcon size={14} /> {draft.said}
          </Text>
        )}
        <Tabs value={view} onChange={(chosen) => isView(chosen) && setView(chosen)} keepMounted={false} mt="xs">
          <Tabs.List mb="sm">
            <Tabs.Tab value="form">{commonWords.form}</Tabs.Tab>
            <Tabs.Tab value="text">{configWords.text}</Tabs.Tab>
          </Tabs.List>
          <Tabs.Panel value="form">
            <ConfigForm
              sections={sections}
              find={find}
              isReadOnly={isReadOnly}
              otherwise={unit === undefined ? commonWords.default : configWords.withoutValueHere}
              onChange={change}
              onLeaveEmpty={removeEmpty}
              onShow={show}
            />
          </Tabs.Panel>
          <Tabs.Panel value="text">
            <CodeEditor
              ref={editor}
              label={label}
              language={iniLanguage}
              describedBy={helpId}
              text={text}
              onChange={edit}
              isReadOnly={isReadOnly}
              diagnostics={findings}
            />
            <Text id={helpId} size="sm" c="dimmed" mt={4}>
              {configWords.leaveEditorHelp}
            </Text>
          </Tabs.Panel>
        </Tabs>
      </Panel>
      {isEdited && (
        <Panel title={configWords.changesThatAreNotSaved}>
          <DiffView label={configWords.fromSavedVersionToDraft} before={current.text} after={text} />
        </Panel>
      )}
      <ChangedSettings
        than={unit === undefined ? configWords.default : configWords.sharedFileInline}
        changed={changed}
        isReadOnly={isReadOnly}
        onReset={reset}
      />
      <ConfigHistory unit={unit} text={text} onLoad={edit} gate={gate} />
      {isEdited && (
        <Group className={styles.saveBar ?? ''} justify="space-between" gap="xs">
          <Text size="sm">{configWords.unsavedChanges}</Text>
          <SaveButtons draft={draft} gate={gate} />
        </Group>
      )}
      {draft.isAsking && (
        <ConflictDialog
          saved={current.text}
          mine={text}
          onClose={draft.stopAsking}
          onLoadSaved={draft.showSaved}
          onOverwrite={draft.overwrite}
        />
      )}
    </>
  );
}
