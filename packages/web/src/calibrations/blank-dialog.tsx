import { type Assignment, type LiveJob, leaderApi, type SessionEnvelope } from '@lcs/contract';
import { Button, Checkbox, Group, Progress, Stack, Text } from '@mantine/core';
import { useState } from 'react';
import { dependentsOnUnits } from '../jobs/dependents.ts';
import { useDependents } from '../jobs/stop-question.tsx';
import { useAssignments, useJobs, useUnits, useWorkers } from '../services/queries.ts';
import { useMay } from '../services/use-may.ts';
import { CommandStatus } from '../tasks/command-status.tsx';
import { Dialog, DialogActions } from '../ui/dialog.tsx';
import { CheckIcon, WarningIcon } from '../ui/icons.tsx';
import { UnitName } from '../ui/unit-name.tsx';
import { calibrationsWords } from '../words/calibrations.ts';
import { commonWords } from '../words/common.ts';
import styles from './blank-dialog.module.css';
import { type BlankState, blankObstacle, blankState, blankText, endedResult, endedText } from './blank-runs.ts';
import { OpenSessionsList } from './open-sessions-list.tsx';
import { isReadingOd, odJob, useBlanks } from './use-blanks.ts';
import { useOpenSessions } from './use-open-sessions.ts';

interface BlankDialogProps {
  readonly units: readonly string[];
  readonly isOpen: boolean;
  readonly onClose: () => void;
}

const count = (number: number): string => commonWords.unitCount(number);

interface BlankRowProps {
  readonly unit: string;
  readonly nameOf: (unit: string) => string;
  readonly state: BlankState;
  readonly result: SessionEnvelope | undefined;
  /** Undefined: not known yet. */
  readonly session: string | undefined;
  readonly isStarting: boolean;
  readonly onAnswer: (keep: boolean) => void;
}

function Outcome({ result, session, isStarting }: Pick<BlankRowProps, 'result' | 'session' | 'isStarting'>) {
  const ended = endedResult(result);
  if (ended === undefined) return <Text size="sm">{endedText(session, isStarting)}</Text>;
  if (ended.status === 'complete')
    return (
      <Text size="sm" className={styles.done}>
        <CheckIcon size={16} /> {calibrationsWords.keptBlank(blankText(ended.result ?? {}))}
      </Text>
    );
  return (
    <Text size="sm" className={styles.problem}>
      <WarningIcon size={16} /> {calibrationsWords.notMeasured(ended.error ?? '')}
    </Text>
  );
}

/** The measurement on one unit: its progress, its result, or what a person has to decide. */
function BlankRow({ unit, nameOf, state, result, session, isStarting, onAnswer }: BlankRowProps) {
  return (
    <li className={styles.row}>
      <strong>
        <UnitName unit={unit} nameOf={nameOf} />
      </strong>
      <div className={styles.state}>
        {state.phase === 'measuring' && (
          <Progress
            value={state.percent}
            aria-label={calibrationsWords.progressOf(nameOf(unit))}
            className={styles.progress ?? ''}
          />
        )}
        {state.phase === 'doubtful' && (
          <>
            <Text size="sm" className={styles.problem}>
              <WarningIcon size={16} /> {state.problem}
            </Text>
            <Group gap="xs">
              <Button
                size="xs"
                variant="default"
                onClick={() => onAnswer(false)}
                aria-label={calibrationsWords.measureUnitAgain(nameOf(unit))}
              >
                {calibrationsWords.measureAgain}
              </Button>
              <Button
                size="xs"
                variant="default"
                onClick={() => onAnswer(true)}
                aria-label={calibrationsWords.keepBlankOf(nameOf(unit))}
              >
                {calibrationsWords.keepAllTheSame}
              </Button>
            </Group>
          </>
        )}
        {state.phase === 'ended' && <Outcome result={result} session={session} isStarting={isStarting} />}
      </div>
    </li>
  );
}

interface ChoiceProps {
  readonly units: readonly string[];
  readonly nameOf: (unit: string) => string;
  /** Why a unit cannot be blanked; undefined: it can. */
  readonly reasonOf: (unit: string) => string | undefined;
  readonly chosen: readonly string[];
  readonly onChoose: (chosen: readonly string[]) => void;
}

function UnitChoice({ units, nameOf, reasonOf, chosen, onChoose }: ChoiceProps) {
  const possible = units.filter((unit) => reasonOf(unit) === undefined);
  return (
    <fieldset className={styles.units}>
      <legend>{commonWords.units}</legend>
      <Checkbox
        label={commonWords.allOfThem(count(possible.length))}
        checked={possible.length > 0 && chosen.length === possible.length}
        indeterminate={chosen.length > 0 && chosen.length < possible.length}
        disabled={possible.length === 0}
        onChange={({ currentTarget }) => onChoose(currentTarget.checked ? possible : [])}
      />
      {units.map((unit) => {
        const reason = reasonOf(unit);
        return (
          <Checkbox
            key={unit}
            label={<UnitName unit={unit} nameOf={nameOf} note={reason ?? null} />}
            disabled={reason !== undefined}
            checked={chosen.includes(unit)}
            onChange={({ currentTarget }) =>
              onChoose(currentTarget.checked ? [...chosen, unit] : chosen.filter((each) => each !== unit))
            }
          />
        );
      })}
    </fieldset>
  );
}

/** Reads why a unit cannot be blanked. */
function useObstacles(jobs: readonly LiveJob[], assignments: readonly Assignment[]) {
  const { data: statuses = [] } = useUnits();
  const { data: workers = [] } = useWorkers();
  return (unit: string): string | undefined =>
    blankObstacle({
      experiment: assignments.find(({ reactor_unit }) => reactor_unit === unit)?.experiment,
      isActive: workers.find(({ reactor_unit }) => reactor_unit === unit)?.is_active === 1,
      isOnline: statuses.find(({ reactor_unit }) => reactor_unit === unit)?.liveness === 'online',
      isCalibrating: blankState(jobs, unit).phase !== 'ended',
    });
}

/** Blanks of several units at once; closing it does not stop the measurements. */
export function BlankDialog({ units, isOpen, onClose }: BlankDialogProps) {
  const jobs = useJobs() ?? [];
  const { data: assignments = [] } = useAssignments();
  const blanks = useBlanks({ jobs, assignments });
  const reasonOf = useObstacles(jobs, assignments);
  const open = useOpenSessions();
  const dependentsOn = useDependents();
  const [marked, setChosen] = useState<readonly string[]>([]);
  const chosen = marked.filter((unit) => reasonOf(unit) === undefined);
  const [holdsMedium, setHoldsMedium] = useState(false);
  const may = useMay();
  const { followed, command, nameOf } = blanks;
  const running = followed.filter((unit) => blanks.stateOf(unit).phase !== 'ended');
  const isStarting = command.phase === 'pending';
  const isFollowing = followed.length > 0;
  const reading = chosen.filter((unit) => isReadingOd(jobs, unit));
  const dependents = dependentsOnUnits(reading, (unit) =>
    dependentsOn(unit, assignments.find(({ reactor_unit }) => reactor_unit === unit)?.experiment ?? '', odJob),
  );
  const isDirty = !isFollowing && (chosen.length > 0 || holdsMedium);
  const close = (): void => {
    onClose();
    // What still runs is shown again when the dialog is opened again.
    if (running.length > 0 || isStarting) return;
    blanks.clear();
    setChosen([]);
    setHoldsMedium(false);
  };
  return (
    <Dialog title={calibrationsWords.measureBlanks} isOpen={isOpen} onClose={close} isDirty={isDirty}>
      <Stack gap="md">
        <OpenSessionsList sessions={open.filter(({ unit }) => !followed.includes(unit))} />
        {isFollowing ? (
          <ul className={styles.rows} aria-label={calibrationsWords.progress}>
            {followed.map((unit) => (
              <BlankRow
                key={unit}
                unit={unit}
                nameOf={nameOf}
                state={blanks.stateOf(unit)}
                result={blanks.resultOf(unit)}
                session={blanks.sessionOf(unit)}
                isStarting={isStarting}
                onAnswer={(keep) => blanks.answer(unit, keep)}
              />
            ))}
          </ul>
        ) : (
          <>
            <Text size="sm">{calibrationsWords.blankHelp}</Text>
            <UnitChoice units={units} nameOf={nameOf} reasonOf={reasonOf} chosen={chosen} onChoose={setChosen} />
            <Checkbox
              label={calibrationsWords.vialsAreSterile}
              checked={holdsMedium}
              onChange={({ currentTarget }) => setHoldsMedium(currentTarget.checked)}
            />
            {reading.length > 0 && (
              <Text size="sm" className={styles.problem}>
                <WarningIcon size={16} /> {calibrationsWords.odReadingIsRunningOn(reading.map(nameOf).join(', '))}
                {dependents.length > 0 &&
                  calibrationsWords.withoutItTheseWait(
                    dependents
                      .map(({ title, units: on }) => commonWords.jobOnUnit(title, on.map(nameOf).join(', ')))
                      .join('; '),
                  )}
              </Text>
            )}
          </>
        )}
        {command.phase === 'failed' && <CommandStatus command={command} onDismiss={blanks.dismiss} />}
      </Stack>
      <DialogActions>
        {running.length > 0 && (
          <Button variant="default" className="danger" onClick={blanks.cancel} {...may(leaderApi.stopWorkerJob)}>
            {calibrationsWords.cancelNamed(running.length)}
          </Button>
        )}
        {isFollowing ? (
          <Button variant="default" onClick={close}>
            {commonWords.close}
          </Button>
        ) : (
          <Button
            loading={isStarting}
            disabled={chosen.length === 0 || !holdsMedium}
            onClick={() => blanks.start(chosen, reading, () => setHoldsMedium(false))}
            {...(chosen.length === 0 || !holdsMedium ? {} : may(leaderApi.runWorkerJob))}
          >
            {reading.length > 0
              ? calibrationsWords.stopOdReadingAndMeasure
              : calibrationsWords.measureNamed(chosen.length === 0 ? '' : count(chosen.length))}
          </Button>
        )}
      </DialogActions>
    </Dialog>
  );
}
