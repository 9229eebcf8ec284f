import { type Json, type LiveJob, leaderApi } from '@lcs/contract';
import { ActionIcon, Tooltip } from '@mantine/core';
import { type ComponentProps, type ReactNode, useCallback, useEffect, useId, useMemo, useState } from 'react';
import { forPeople } from '../api/plain-words.ts';
import { labelFromName } from '../forms/field-rules.ts';
import type { Gate } from '../services/gate.ts';
import { useMay } from '../services/use-may.ts';
import { useLastKnown } from '../services/use-ticking.ts';
import { unconfirmedCode } from '../tasks/unconfirmed-code.ts';
import { PauseIcon, PlayIcon, StopIcon } from '../ui/icons.tsx';
import { commonWords } from '../words/common.ts';
import { jobsWords } from '../words/jobs.ts';
import { AdjustSetting } from './adjust-setting.tsx';
import { unitOfTarget } from './biomass-choices.ts';
import { ConfirmDilution } from './confirm-dilution.tsx';
import { EndedJob } from './ended-job.tsx';
import type { UnitJobAct } from './job-act.ts';
import { refusalWithTitle, type ShownJob, type ShownSetting } from './job-catalog.ts';
import { isPending, type RequestState } from './job-control.ts';
import { needsNoQuestion } from './job-forms.ts';
import { isRunning, type JobPhase, jobPhase, jobStateText } from './job-phase.ts';
import styles from './job-row.module.css';
import { RequestStatus } from './request-status.tsx';
import { ResumeQuestion } from './resume-question.tsx';
import { waitingDosings } from './running-dosing.ts';
import { StartJob, type StartStatus } from './start-job.tsx';
import { stoppedNeeds } from './start-needs.ts';
import { StartQuestion, useStart } from './start-question.tsx';
import { StopQuestion, useFactsOf, useStop } from './stop-question.tsx';
import { UndoStop, useUndo } from './undo-stop.tsx';
import { type JobControl, useJobControl } from './use-job-control.ts';

interface JobRowProps {
  readonly unit: string;
  readonly unitName: string;
  readonly experiment: string;
  readonly shown: ShownJob;
  readonly job: LiveJob | undefined;
  readonly isActive: boolean;
  /** Whether the live stream has sent the running jobs. */
  readonly isKnown: boolean;
}

/** A target has the unit of its biomass signal. */
const withUnit = (setting: ShownSetting, settings: LiveJob['settings']): ShownSetting => {
  const unit = unitOfTarget(setting.key, settings);
  return unit === undefined ? setting : { ...setting, unit };
};

const subtextOf = (shown: ShownJob, job: LiveJob | undefined): string | null => {
  const value: Json | undefined = shown.subtext === null ? undefined : job?.settings[shown.subtext];
  if (typeof value !== 'string') return null;
  return shown.form.variants.find(({ name }) => name === value)?.label ?? labelFromName(value);
};

const withTitle = (control: RequestState, shown: ShownJob): RequestState =>
  control.phase === 'failed' ? { ...control, refusal: refusalWithTitle(control.refusal, shown) } : control;

/** A refusal that an open dialog shows is not repeated in the row. */
const isShownInDialog = (control: RequestState, isAsking: boolean): boolean =>
  control.phase === 'failed' &&
  (control.refusal.code === unconfirmedCode || (isAsking && control.request.kind === 'start'));

function startStatusOf(control: RequestState): StartStatus {
  const isStart = control.phase !== 'idle' && control.request.kind === 'start';
  return {
    isPending: isStart && isPending(control),
    refusals: isStart && control.phase === 'failed' ? [{ unit: null, ...control.refusal }] : [],
  };
}

interface ActionButtonProps {
  readonly label: string;
  readonly isDisabled: boolean;
  readonly gate: Gate;
  readonly describedBy?: string;
  readonly className?: string | undefined;
  /** Whether it has the focus where another action of the job has disappeared. */
  readonly takesFocus?: boolean;
  /** What a person who came for it may want at once. */
  readonly act?: UnitJobAct;
  readonly onClick: () => void;
  readonly children: ReactNode;
}

function ActionButton(props: ActionButtonProps) {
  const { label, isDisabled, gate, describedBy, className, takesFocus = false, act, onClick, children } = props;
  return (
    <Tooltip label={label} openDelay={500} disabled={gate.disabled ?? false}>
      <ActionIcon
        variant="default"
        size="md"
        {...(className === undefined ? {} : { className })}
        aria-label={label}
        aria-describedby={describedBy}
        {...(takesFocus && { 'data-takes-focus': true })}
        {...(act !== undefined && { 'data-act': act })}
        disabled={isDisabled}
        onClick={onClick}
        {...gate}
      >
        {children}
      </ActionIcon>
    </Tooltip>
  );
}

interface ActionsProps {
  readonly phase: JobPhase;
  readonly control: RequestState;
  /** The leader does not answer: only a stop is offered. */
  readonly isCutOff: boolean;
  /** Whether it may be started at all. */
  readonly mayStart: boolean;
  readonly reasonId: string | undefined;
  readonly named: (verb: string) => string;
  readonly onStart: () => void;
  readonly onRequest: (kind: 'pause' | 'resume' | 'stop') => void;
}

/** The actions that the present state of a job allows. */
function JobActions({ phase, control, isCutOff, mayStart, reasonId, named, onStart, onRequest }: ActionsProps) {
  const isBusy = isPending(control) || isCutOff;
  const may = useMay();
  return (
    <div className={styles.actions} data-acts="">
      {!isRunning(phase) && (
        <ActionButton
          label={named(commonWords.start)}
          gate={may(leaderApi.runWorkerJob)}
          act="start"
          isDisabled={isBusy || !mayStart || phase === 'unknown'}
          {...(reasonId === undefined ? {} : { describedBy: reasonId })}
          onClick={onStart}
        >
          <PlayIcon size={15} />
        </ActionButton>
      )}
      {(phase === 'on' || phase === 'paused') && (
        <ActionButton
          label={named(phase === 'on' ? commonWords.pause : commonWords.resume)}
          gate={may(leaderApi.updateWorkerJob)}
          isDisabled={isBusy}
          onClick={() => onRequest(phase === 'on' ? 'pause' : 'resume')}
        >
          {phase === 'on' ? <PauseIcon size={15} /> : <PlayIcon size={15} />}
        </ActionButton>
      )}
      {(isRunning(phase) || phase === 'lost') && (
        <ActionButton
          label={named(commonWords.stop)}
          gate={may(leaderApi.stopWorkerJob)}
          isDisabled={control.phase === 'sending'}
          className={styles.stop}
          takesFocus
          act="stop"
          onClick={() => onRequest('stop')}
        >
          <StopIcon size={15} />
        </ActionButton>
      )}
    </div>
  );
}

interface JobSettingsProps {
  readonly settings: readonly ShownSetting[];
  readonly values: LiveJob['settings'];
  readonly owner: string;
  readonly isBusy: boolean;
  readonly onAdjust: (setting: string, value: Json) => void;
  readonly of: ComponentProps<typeof AdjustSetting>['of'];
}

/** The published settings of a running job. */
function JobSettings({ settings, values, owner, isBusy, onAdjust, of }: JobSettingsProps) {
  return settings.map((setting) => {
    const { key } = setting;
    const value = values[key];
    return value === undefined ? null : (
      <AdjustSetting
        key={key}
        setting={withUnit(setting, values)}
        value={value}
        owner={owner}
        isBusy={isBusy}
        onAdjust={(changed) => onAdjust(key, changed)}
        of={of}
      />
    );
  });
}

interface StartDialogProps extends Pick<JobRowProps, 'unit' | 'unitName' | 'shown'> {
  readonly control: RequestState;
  readonly isOpen: boolean;
  readonly onClose: () => void;
  readonly onStart: JobControl['start'];
}

/** The form that starts the job on this unit. */
function StartDialog({ unit, unitName, shown, control, isOpen, onClose, onStart }: StartDialogProps) {
  const units = useMemo(() => [unit], [unit]);
  const nameOf = useCallback(() => unitName, [unitName]);
  useEffect(() => {
    // The form stays open until the unit accepts the start, so that a refusal shows where it can be corrected.
    if (control.phase === 'confirming' || control.phase === 'done') onClose();
  }, [control, onClose]);
  return (
    <StartJob
      shown={shown}
      where={unitName}
      units={units}
      nameOf={nameOf}
      status={startStatusOf(control)}
      isOpen={isOpen}
      onClose={onClose}
      onStart={(options) => onStart(options)}
      onConfirm={(options, _, confirmed) => onStart(options, confirmed)}
    />
  );
}

/** One job of a unit: its state, its settings, and its actions. */
export function JobRow({ unit, unitName, experiment, shown, job, isActive, isKnown }: JobRowProps) {
  const { control: own, start, request, dismiss } = useJobControl({ unit, experiment, jobName: shown.name, job });
  const control = useMemo(() => withTitle(own, shown), [own, shown]);
  const lastKnown = useLastKnown();
  const [isAsking, setAsking] = useState(false);
  const factsOf = useFactsOf();
  const undo = useUndo(unitName);
  const stop = useStop({
    unit,
    experiment,
    jobName: shown.name,
    onDecided: (names) => undo.note(experiment, factsOf(unit, experiment).jobs, names),
    onStop: () => request({ kind: 'stop' }),
  });
  const closeDialog = useCallback(() => setAsking(false), []);
  const reasonId = useId();
  const phase = jobPhase(job, isKnown);
  const subtext = subtextOf(shown, job);
  const missing = isRunning(phase) ? null : shown.missing;
  const off = job !== undefined && isRunning(phase) ? stoppedNeeds(job, factsOf(unit, experiment)) : [];
  const ask = (): void => {
    dismiss();
    setAsking(true);
  };
  const waiting = (): readonly string[] =>
    waitingDosings([{ unit, jobs: [shown.name] }], () => unitName, factsOf(unit, experiment).jobs);
  const startIt = useStart({
    unit,
    experiment,
    jobName: shown.name,
    onStart: () => (needsNoQuestion(shown.form) && waiting().length === 0 ? start({}) : ask()),
  });
  const [resumes, setResumes] = useState<readonly string[]>([]);
  const requestOne = (kind: 'pause' | 'resume' | 'stop'): void => {
    const consequences = kind === 'resume' ? waiting() : [];
    if (kind === 'stop') stop.ask();
    else if (consequences.length > 0) setResumes(consequences);
    else request({ kind });
  };

  return (
    <li className={styles.row} data-job={shown.name} data-missing={missing !== null || undefined}>
      <div className={styles.name}>
        <span>{shown.title}</span>
        {subtext && <span className={styles.subtext}>{subtext}</span>}
      </div>
      <span className={styles.state} data-phase={lastKnown === null ? phase : 'unknown'}>
        {lastKnown === null || phase === 'unknown'
          ? jobStateText(phase, job)
          : commonWords.textAtTime(jobStateText(phase, job), lastKnown)}
      </span>
      <div className={styles.settings}>
        {isRunning(phase) && job && (
          <JobSettings
            settings={shown.settings}
            values={job.settings}
            owner={unitName}
            isBusy={isPending(control) || lastKnown !== null}
            onAdjust={(setting, value) => request({ kind: 'adjust', setting, value })}
            of={{ unit, unitName, experiment, job: shown.name }}
          />
        )}
      </div>
      <JobActions
        phase={phase}
        control={control}
        isCutOff={lastKnown !== null}
        mayStart={isActive && shown.missing === null}
        reasonId={missing === null ? undefined : reasonId}
        named={(verb) => jobsWords.actionOnUnit(verb, shown.title, unitName)}
        onStart={startIt.ask}
        onRequest={requestOne}
      />
      {missing !== null && (
        <p id={reasonId} className={styles.missing}>
          {missing}
        </p>
      )}
      {off.length > 0 && (
        <p className={styles.reason}>
          {jobsWords.needsWhichOff(off.map(({ title }) => title).join(' and '), off.length)}
        </p>
      )}
      {phase === 'lost' && control.phase === 'idle' && (
        <p className={styles.reason}>{job?.reason ? forPeople(job.reason) : jobsWords.unitWentAway}</p>
      )}
      {phase === 'off' && !isPending(control) && (
        <EndedJob
          unit={unit}
          experiment={experiment}
          jobName={shown.name}
          isDisabled={!isActive || lastKnown !== null}
          mayStart={missing === null}
          onStart={startIt.ask}
          onLeaveOff={() => request({ kind: 'stop' })}
        />
      )}
      <RequestStatus
        control={isShownInDialog(control, isAsking) ? { phase: 'idle' } : control}
        onDismiss={dismiss}
        onRequest={request}
      />
      <UndoStop undo={undo} title={shown.title} isOff={phase === 'off'} />
      <ConfirmDilution {...{ control, unit, unitName, job }} onConfirm={request} onCancel={dismiss} />
      <StartQuestion title={shown.title} unitName={unitName} start={startIt} />
      <ResumeQuestion
        title={shown.title}
        unitName={unitName}
        consequences={resumes}
        onClose={() => setResumes([])}
        onResume={() => {
          setResumes([]);
          request({ kind: 'resume' });
        }}
      />
      <StopQuestion title={shown.title} unitName={unitName} stop={stop} />
      <StartDialog {...{ unit, unitName, shown, control }} isOpen={isAsking} onClose={closeDialog} onStart={start} />
    </li>
  );
}
