import { leaderApi, type ProfileRunAction, type ProfileRunDetails } from '@lcs/contract';
import { Alert, Button, Skeleton, Table, Text } from '@mantine/core';
import { useMemo, useState } from 'react';
import { plainWords } from '../api/plain-words.ts';
import { useJobs } from '../services/queries.ts';
import { useMay } from '../services/use-may.ts';
import { useLastKnown, useLeaderNow, useTicking } from '../services/use-ticking.ts';
import { useUnitNames } from '../services/use-unit-names.ts';
import { WarningIcon } from '../ui/icons.tsx';
import { LongRows, type RowPlace, rowCountOf } from '../ui/long-table.tsx';
import { Moment } from '../ui/moments.tsx';
import { saidOnce } from '../ui/said-once.ts';
import { commonWords } from '../words/common.ts';
import { protocolsWords } from '../words/protocols.ts';
import styles from './editor.module.css';
import { ConfirmControl } from './run-controls.tsx';
import { delayText, itemText, outcomeText, type PlannedActions, untilText } from './run-words.ts';
import { isLeftOutBy, skipPreview, waitingSkip } from './skip-preview.ts';
import { completeWaiting, doneGroups, isCut, nextGroups, type StepGroup } from './step-groups.ts';
import { useRun } from './use-run.ts';

type WaitingItem = ProfileRunDetails['waiting'][number];

/** A row of a group. */
const keyOfGroup = ({ step }: StepGroup<WaitingItem | ProfileRunAction>): string =>
  `${step.reactor_unit} ${step.path} ${step.iteration}`;

interface NextStepsProps {
  readonly run: ProfileRunDetails;
  readonly known: PlannedActions;
  /** Reads more of what waits. */
  readonly onMore: () => void;
  readonly onSkip: (item: WaitingItem) => void;
}

/** How long it is until then; nothing while the leader does not answer: the run may have been changed. */
function Until({ ms, isWait }: { readonly ms: number; readonly isWait: boolean }) {
  const now = useLeaderNow();
  const lastKnown = useLastKnown();
  const until = useTicking(() => untilText(ms, now()));
  return lastKnown === null && ` (${isWait ? `${protocolsWords.evaluated} ` : ''}${until})`;
}

function NextStep({
  item,
  units,
  text,
  pausedText,
  place,
  onSkip,
}: {
  readonly item: WaitingItem;
  readonly units: readonly string[];
  readonly text: string;
  /** What a paused run does with it. */
  readonly pausedText: string;
  readonly place: RowPlace;
  readonly onSkip: () => void;
}) {
  const may = useMay();
  const { planned_at, is_evaluated: isWait = false } = item;
  const unit = units.join(', ');
  return (
    <Table.Tr data-next={item.path} {...place}>
      <Table.Td>
        {planned_at === null ? (
          pausedText
        ) : (
          <>
            <Moment ms={Date.parse(planned_at)} />
            <Until ms={Date.parse(planned_at)} isWait={isWait} />
          </>
        )}
      </Table.Td>
      <Table.Td>{unit}</Table.Td>
      <Table.Td>{text}</Table.Td>
      <Table.Td>
        <Button
          size="compact-sm"
          variant="default"
          onClick={onSkip}
          aria-label={`${isWait ? protocolsWords.endWait : protocolsWords.skipToThis}: ${unit} ${text}`}
          {...may(leaderApi.skipProfileItem)}
        >
          {isWait ? protocolsWords.endWaitDialog : protocolsWords.skipToThisDialog}
        </Button>
      </Table.Td>
    </Table.Tr>
  );
}

const UnitTexts = ({
  of,
}: {
  readonly of: readonly { readonly units: readonly string[]; readonly text: string }[];
}) => {
  const nameOf = useUnitNames();
  return (
    <ul className={styles.notDone}>
      {of.map(({ units, text }) => (
        <li key={text}>{protocolsWords.stepOfUnits(units.map(nameOf).join(', '), text)}</li>
      ))}
    </ul>
  );
};

const statesThatRun: ReadonlySet<string> = new Set(['init', 'ready', 'sleeping']);

/** What a move to a step leaves out, and what lacks it then. */
function SkipConsequences({
  run,
  known,
  target,
}: Omit<NextStepsProps, 'onSkip' | 'onMore'> & { readonly target: WaitingItem }) {
  const jobs = useJobs() ?? [];
  const nameOf = useUnitNames();
  const runs = (unit: string, name: string): boolean =>
    jobs.some(
      ({ job_name, experiment, state, reactor_unit }) =>
        job_name === name && experiment === run.experiment && reactor_unit === unit && statesThatRun.has(state),
    );
  const { experiment, run_id } = run;
  // What follows the target may lack a job, too.
  const { data: whole = run } = useRun({ experiment, run_id }, { waiting: 'all', isEnabled: isCut(run) });
  if (isCut(whole)) return <Skeleton height={60} role="status" aria-label={protocolsWords.loadingRun} />;
  const { leftOut, warnings } = skipPreview(whole.waiting, target, known, runs);
  return (
    <>
      {leftOut.length === 0 ? (
        <Text size="sm">{protocolsWords.nothingIsLeftOut}</Text>
      ) : (
        <div>
          <Text size="sm">{protocolsWords.theseAreLeftOut}</Text>
          <UnitTexts of={leftOut} />
        </div>
      )}
      {warnings.length > 0 && (
        <Alert color="orange" variant="light" icon={<WarningIcon />} role="note">
          {warnings.map(({ units, text }) => (
            <Text key={text} size="sm">
              {protocolsWords.warningOfUnits(units.map(nameOf).join(', '), text)}
            </Text>
          ))}
        </Alert>
      )}
      {run.is_paused && <Text size="sm">{protocolsWords.skipTakesEffectWhenResumed}</Text>}
    </>
  );
}

/** What a run does next, and when. */
export function NextSteps({ run, known, onMore, onSkip }: NextStepsProps) {
  const [asked, setAsked] = useState<StepGroup<WaitingItem>>();
  const nameOf = useUnitNames();
  const shown = useMemo(() => completeWaiting(run), [run]);
  const groups = useMemo(() => nextGroups(shown), [shown]);
  const left = run.waiting_count - shown.length;
  const target = waitingSkip(run);
  const endsWait = asked?.step.is_evaluated === true;
  const pausedText = (item: WaitingItem): string => {
    if (item === target) return protocolsWords.continuesWhenResumed;
    return isLeftOutBy(target, item, run.waiting, known) ? protocolsWords.leftOutWhenResumed : protocolsWords.paused;
  };
  if (run.waiting.length === 0)
    return (
      <Text size="sm">{run.outcome === null ? protocolsWords.runIsEnding : protocolsWords.nothingRunHasEnded}</Text>
    );
  return (
    <>
      {target !== undefined && (
        <Alert color="blue" variant="light" mb="xs" role="status" title={protocolsWords.skipWaits}>
          <Text size="sm">{protocolsWords.skipWaitsFor(nameOf(target.reactor_unit), itemText(target, known))}</Text>
        </Alert>
      )}
      <Table aria-label={protocolsWords.nextActions} className={styles.steps ?? ''} {...rowCountOf(groups)}>
        <Table.Thead>
          <Table.Tr>
            <Table.Th>{protocolsWords.when}</Table.Th>
            <Table.Th>{commonWords.units}</Table.Th>
            <Table.Th>{protocolsWords.action}</Table.Th>
            <Table.Th>{protocolsWords.control}</Table.Th>
          </Table.Tr>
        </Table.Thead>
        <Table.Tbody>
          <LongRows rows={groups} keyOf={keyOfGroup} estimatedPx={41} kind="table">
            {(group, place) => (
              <NextStep
                item={group.step}
                units={group.units.map(nameOf)}
                text={itemText(group.step, known)}
                pausedText={pausedText(group.step)}
                place={place}
                onSkip={() => setAsked(group)}
              />
            )}
          </LongRows>
        </Table.Tbody>
      </Table>
      {left > 0 && (
        <Button size="xs" variant="default" mt="xs" onClick={onMore}>
          {protocolsWords.countMore(left)}
        </Button>
      )}
      {asked !== undefined && (
        <ConfirmControl
          title={endsWait ? protocolsWords.endThisWait : protocolsWords.skipToThisAction}
          text={`${asked.units.map(nameOf).join(', ')}: ${itemText(asked.step, known)}. ${endsWait ? protocolsWords.endWaitConsequence : protocolsWords.skipConsequence}`}
          action={endsWait ? protocolsWords.endWait : protocolsWords.skip}
          isDangerous={false}
          onClose={() => setAsked(undefined)}
          onConfirm={() => onSkip(asked.step)}
        >
          {!endsWait && <SkipConsequences run={run} known={known} target={asked.step} />}
        </ConfirmControl>
      )}
    </>
  );
}

/** What a run has done, newest first: when it was planned and carried out, its outcome and why. */
export function DoneSteps({
  actions,
  known,
}: {
  readonly actions: readonly ProfileRunAction[];
  readonly known: PlannedActions;
}) {
  const groups = useMemo(() => doneGroups(actions), [actions]);
  const nameOf = useUnitNames();
  if (actions.length === 0) return <Text size="sm">{protocolsWords.nothingYet}</Text>;
  return (
    <Table aria-label={protocolsWords.actionsOfRun} className={styles.steps ?? ''} {...rowCountOf(groups)}>
      <Table.Thead>
        <Table.Tr>
          <Table.Th>{protocolsWords.planned}</Table.Th>
          <Table.Th>{protocolsWords.carriedOut}</Table.Th>
          <Table.Th>{commonWords.units}</Table.Th>
          <Table.Th>{protocolsWords.action}</Table.Th>
          <Table.Th>{commonWords.outcome}</Table.Th>
        </Table.Tr>
      </Table.Thead>
      <Table.Tbody>
        <LongRows rows={groups} keyOf={keyOfGroup} estimatedPx={41} kind="table">
          {({ step: each, units }, place) => (
            <Table.Tr data-outcome={each.outcome} {...place}>
              <Table.Td>
                <Moment ms={Date.parse(each.planned_at)} />
              </Table.Td>
              <Table.Td>
                {each.outcome === 'skipped' ? (
                  '–'
                ) : (
                  <>
                    <Moment ms={Date.parse(each.settled_at)} /> {delayText(each)}
                  </>
                )}
              </Table.Td>
              <Table.Td>{units.map(nameOf).join(', ')}</Table.Td>
              <Table.Td>{itemText(each, known)}</Table.Td>
              <Table.Td>
                {outcomeText(each.outcome)}
                {each.reason !== null && `: ${plainWords(saidOnce(each.reason))}`}
              </Table.Td>
            </Table.Tr>
          )}
        </LongRows>
      </Table.Tbody>
    </Table>
  );
}
