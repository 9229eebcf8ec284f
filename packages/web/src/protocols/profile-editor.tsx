import { yaml } from '@codemirror/lang-yaml';
import { leaderApi, nodeApi, profileJobName } from '@lcs/contract';
import { Button, Group, Kbd, SegmentedControl, Skeleton, Stack, Text, TextInput, Title } from '@mantine/core';
import { useDebouncedValue } from '@mantine/hooks';
import { Link, useNavigate } from '@tanstack/react-router';
import { lazy, Suspense, useCallback, useEffect, useId, useMemo, useRef, useState } from 'react';
import { flushSync } from 'react-dom';
import { problemText } from '../api/problem.ts';
import type { ProfileFileText } from '../api/query-keys.ts';
import { CodeEditor, type CodeEditorHandle } from '../code/code-editor.tsx';
import { useDraft } from '../code/use-draft.ts';
import { VersionNotices } from '../code/version-notices.tsx';
import { useJobs } from '../services/queries.ts';
import { useServices } from '../services/services.tsx';
import { useMay } from '../services/use-may.ts';
import { useMutation } from '../services/use-mutation.ts';
import { CheckIcon, PlayIcon } from '../ui/icons.tsx';
import { LeaveGuard } from '../ui/leave-guard.tsx';
import { PartBoundary } from '../ui/part-boundary.tsx';
import { ProblemAlert } from '../ui/problem-alert.tsx';
import { commonWords } from '../words/common.ts';
import { protocolsWords } from '../words/protocols.ts';
import { DeleteProfile } from './delete-profile.tsx';
import styles from './editor.module.css';
import { newProfile } from './editor-search.ts';
import { declaresInputs } from './input-fields.ts';
import { ProfileFindings } from './profile-findings.tsx';
import { RunDialog } from './run-dialog.tsx';
import { actionsByPath, decisionText, itemText } from './run-words.ts';
import { TimelinePanel } from './timeline-panel.tsx';
import { useCompletion } from './use-completion.ts';
import { isConflict, isNameFault, usePlan, useProfileCheck, useSaveProfile } from './use-profile-file.ts';

/** With its charts, which nobody needs to write a profile. */
const RehearsalPanel = lazy(() =>
  import('../rehearsal/rehearsal-panel.tsx').then((module) => ({ default: module.RehearsalPanel })),
);

interface ProfileEditorProps {
  /** Undefined: the profile is not saved yet. */
  readonly filename: string | undefined;
  /** The name that a new profile may get. */
  readonly suggestedName: string;
  /** The version on the leader, or what a new profile begins with. */
  readonly saved: ProfileFileText;
}

/** With what reads YAML. */
const ProfileForm = lazy(() => import('./profile-form.tsx').then((module) => ({ default: module.ProfileForm })));

const views = [
  { value: 'form', label: commonWords.form },
  { value: 'text', label: protocolsWords.textYaml },
];

const profileLanguage = yaml();

/** A text is checked when it has not changed for this long. */
const checkAfterMs = 300;

/** A name with the ending of a profile. */
const withEnding = (name: string): string => (name === '' || /\.ya?ml$/.test(name) ? name : `${name}.yaml`);

/** The draft of a profile with its name, and what can be done with it. */
function useProfileEditor({ filename, suggestedName, saved }: ProfileEditorProps) {
  const [name, setName] = useState(suggestedName);
  /** The file whose page follows; null: the list. The guard against the loss of changes must know first. */
  const [nextFile, setNextFile] = useState<string | null>();
  const save = useSaveProfile();
  const draft = useDraft(saved, save.variables?.text);
  const navigate = useNavigate();
  const isNew = filename === undefined;
  useEffect(() => {
    if (nextFile === null) void navigate({ to: '/protocols' });
    else if (nextFile !== undefined)
      void navigate({ to: '/protocols/$file', params: { file: nextFile }, replace: true });
  }, [nextFile, navigate]);

  const submit = (replaced: ProfileFileText): void => {
    const target = filename ?? withEnding(name.trim());
    const { text } = draft;
    const request = { filename: target, text, replaced: isNew ? undefined : replaced };
    save.mutate(request, { onSuccess: () => (isNew ? setNextFile(target) : draft.dropSaved(text)) });
  };
  return {
    name,
    setName,
    draft,
    save,
    submit,
    isNew,
    leave: setNextFile,
    isUnsaved: (draft.isEdited || draft.setAside !== undefined) && nextFile === undefined,
  };
}

type Editing = ReturnType<typeof useProfileEditor>;

/** Whether a run of the file is under way: it keeps the text with which it began. */
const useIsRunning = (filename: string | undefined): boolean =>
  (useJobs() ?? []).some(
    ({ job_name, settings }) => job_name === profileJobName && settings.profile_filename === filename,
  );

function SaveState({ draft, save }: Pick<Editing, 'draft' | 'save'>) {
  const isRunning = useIsRunning(save.variables?.filename);
  const isSaved = save.isSuccess && !draft.isEdited;
  return (
    <Text size="sm" role="status" c="dimmed">
      {isSaved && (
        <>
          <CheckIcon size={14} /> {isRunning ? protocolsWords.savedRunsKeepTheirText : protocolsWords.saved}
        </>
      )}
      {draft.isEdited && !save.isPending && protocolsWords.notSavedYet}
    </Text>
  );
}

/** Brings the text into its canonical form. */
function FormatButton({ draft }: Pick<Editing, 'draft'>) {
  const { leader } = useServices();
  const may = useMay();
  const format = useMutation({
    mutationFn: (body: string) => leader.formatExperimentProfile({ body: { body } }),
    onSuccess: ({ body, changed }, asked) => {
      if (changed && asked === draft.text) draft.edit(body);
    },
  });
  return (
    <>
      {format.error && (
        <Text size="sm" role="alert" c="var(--mantine-color-error)">
          {protocolsWords.notFormatted(problemText(format.error).error)}
        </Text>
      )}
      <Button
        size="xs"
        variant="default"
        loading={format.isPending}
        onClick={() => format.mutate(draft.text)}
        {...may(leaderApi.saveExperimentProfile)}
      >
        {commonWords.format}
      </Button>
    </>
  );
}

function Actions({
  editing,
  filename,
  onDelete,
  onRun,
}: {
  readonly editing: Editing;
  readonly filename: string | undefined;
  readonly onDelete: () => void;
  readonly onRun: () => void;
}) {
  const { draft, save, submit, isNew } = editing;
  const may = useMay();
  return (
    <Group gap="xs">
      <SaveState draft={draft} save={save} />
      <FormatButton draft={draft} />
      {filename !== undefined && (
        <>
          <Button
            size="xs"
            variant="default"
            renderRoot={(props) => (
              <Link to="/protocols/$file" params={{ file: newProfile }} search={{ copy: filename }} {...props} />
            )}
          >
            {protocolsWords.duplicate}
          </Button>
          <Button size="xs" variant="default" onClick={onDelete} {...may(leaderApi.deleteExperimentProfile)}>
            {commonWords.deleteDialog}
          </Button>
        </>
      )}
      {draft.isEdited && (
        <Button size="xs" variant="default" onClick={draft.discard}>
          {commonWords.discardChanges}
        </Button>
      )}
      <Button
        size="xs"
        disabled={!isNew && !draft.isEdited}
        loading={save.isPending}
        onClick={() => submit(draft.base)}
        {...may(isNew ? leaderApi.createExperimentProfile : leaderApi.saveExperimentProfile)}
      >
        {commonWords.save}
      </Button>
      {!isNew && (
        <Button
          size="xs"
          disabled={draft.isEdited}
          {...(draft.isEdited && { title: protocolsWords.saveChangesFirst })}
          leftSection={<PlayIcon size={14} />}
          onClick={onRun}
          {...may(nodeApi.runJob)}
        >
          {protocolsWords.run}
        </Button>
      )}
    </Group>
  );
}

function NameField({ name, setName, save }: Pick<Editing, 'name' | 'setName' | 'save'>) {
  return (
    <TextInput
      label={protocolsWords.fileName}
      maw={360}
      value={name}
      onChange={(event) => setName(event.currentTarget.value)}
      error={isNameFault(save.error) && problemText(save.error).error}
    />
  );
}

const KeyHelp = ({ id }: { readonly id: string }) => (
  <Text id={id} size="sm" c="dimmed" mt={4}>
    {protocolsWords.editorKeysHelp(
      <Kbd>{protocolsWords.ctrl}</Kbd>,
      <Kbd>{protocolsWords.space}</Kbd>,
      <Kbd>{protocolsWords.tab}</Kbd>,
      <Kbd>{protocolsWords.esc}</Kbd>,
    )}
  </Text>
);

/** Edits, saves and deletes a profile. */
export function ProfileEditor(props: ProfileEditorProps) {
  const { filename, saved } = props;
  const [dialog, setDialog] = useState<'delete' | 'run'>();
  const [caretLine, setCaretLine] = useState(1);
  const editor = useRef<CodeEditorHandle>(null);
  const [view, setView] = useState<'form' | 'text'>(() => (declaresInputs(saved.text) ? 'form' : 'text'));
  /** Also from the form: then the text is shown first. */
  const goTo = useCallback((line: number, column: number) => {
    flushSync(() => setView('text'));
    editor.current?.goTo(line, column);
  }, []);
  const helpId = useId();
  const editing = useProfileEditor(props);
  const { draft, save, isNew } = editing;
  const may = useMay();
  const complete = useCompletion();
  const [checkedText] = useDebouncedValue(draft.text, checkAfterMs);
  const check = useProfileCheck(checkedText);
  const { data: plan } = usePlan(checkedText, undefined, (check.isValid ?? false) && !check.isOfBefore);
  const words = useMemo(() => {
    const known = actionsByPath(plan);
    return {
      textOf: (path: string) => itemText({ path, action: path, iteration: 0 }, known),
      decisionOf: (path: string, iteration: number) => decisionText(path, iteration, known),
    };
  }, [plan]);
  const title = filename ?? protocolsWords.newProfile;
  const isPlainFault = save.error !== null && !isConflict(save.error) && !isNameFault(save.error);
  const gate = may(isNew ? leaderApi.createExperimentProfile : leaderApi.saveExperimentProfile);
  // When a new profile is saved its own page follows, which begins with the saved text.
  const isReadOnly = gate.disabled || (isNew && save.isPending);
  return (
    <Stack>
      <title>{commonWords.pageTitle(title)}</title>
      <LeaveGuard what={title} isUnsaved={editing.isUnsaved} />
      <Link to="/protocols" className="page-link">
        {commonWords.protocols}
      </Link>
      <Group justify="space-between">
        <Title order={1} size="h2">
          {title}
        </Title>
        <Actions
          editing={editing}
          filename={filename}
          onDelete={() => setDialog('delete')}
          onRun={() => setDialog('run')}
        />
      </Group>
      {isNew && <NameField {...editing} />}
      <VersionNotices
        draft={draft}
        history={protocolsWords.historyOfFolder}
        onOverwrite={() => editing.submit(saved)}
      />
      {isPlainFault && <ProblemAlert error={save.error} />}
      <div className={styles.columns}>
        <div className={styles.text}>
          <SegmentedControl
            aria-label={protocolsWords.editProfileBy}
            data={views}
            value={view}
            onChange={(chosen) => setView(chosen === 'form' ? 'form' : 'text')}
          />
          {view === 'form' ? (
            <PartBoundary part={protocolsWords.partForm} resetKey={draft.text}>
              <Suspense fallback={<Skeleton height={360} role="status" aria-label={protocolsWords.loadingForm} />}>
                <ProfileForm
                  text={draft.text}
                  onChange={draft.edit}
                  onShowText={() => setView('text')}
                  isReadOnly={isReadOnly}
                />
              </Suspense>
            </PartBoundary>
          ) : (
            <div>
              <CodeEditor
                ref={editor}
                label={protocolsWords.textOf(title)}
                language={profileLanguage}
                describedBy={helpId}
                text={draft.text}
                onChange={draft.edit}
                onCaretLine={setCaretLine}
                isReadOnly={isReadOnly}
                diagnostics={check.diagnostics}
                complete={complete}
              />
              <KeyHelp id={helpId} />
            </div>
          )}
          <ProfileFindings check={check} onGoTo={goTo} />
        </div>
        <PartBoundary part={commonWords.partTimeline} resetKey={checkedText}>
          <TimelinePanel
            text={checkedText}
            isValid={check.isOfBefore ? undefined : check.isValid}
            caretLine={caretLine}
            onGoTo={goTo}
          />
        </PartBoundary>
      </div>
      <PartBoundary part={commonWords.partRehearsal} resetKey={filename}>
        <Suspense fallback={<Skeleton height={80} role="status" aria-label={protocolsWords.loadingRehearsal} />}>
          <RehearsalPanel
            filename={filename}
            text={checkedText}
            isValid={(check.isValid ?? false) && !check.isOfBefore}
            words={words}
          />
        </Suspense>
      </PartBoundary>
      {dialog === 'delete' && filename !== undefined && (
        <DeleteProfile
          filename={filename}
          etag={saved.version}
          onClose={() => setDialog(undefined)}
          onDeleted={() => editing.leave(null)}
        />
      )}
      {dialog === 'run' && filename !== undefined && (
        <RunDialog filename={filename} text={saved.text} onClose={() => setDialog(undefined)} />
      )}
    </Stack>
  );
}
