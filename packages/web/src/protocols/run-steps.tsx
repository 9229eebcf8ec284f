import { leaderApi, type ProfileRunAction, type ProfileRunDetails } from '@lcs/contract';
import { Button, Table, Text } from '@mantine/core';
import { useMemo, useState } from 'react';
import { useMay } from '../services/use-may.ts';
import { useLeaderNow, useTicking } from '../services/use-ticking.ts';
import { LongRows, type RowPlace, rowCountOf } from '../ui/long-table.tsx';
import { Moment } from '../ui/moments.tsx';
import { plainWords } from '../ui/plain-words.ts';
import { saidOnce } from '../ui/said-once.ts';
import styles from './editor.module.css';
import { ConfirmControl } from './run-controls.tsx';
import { delayText, itemText, outcomeText, type PlannedActions, untilText } from './run-words.ts';
import { doneGroups, nextGroups, type StepGroup } from './step-groups.ts';

type WaitingItem = ProfileRunDetails['waiting'][number];

/** A row of a group. */
const keyOfGroup = ({ step }: StepGroup<WaitingItem | ProfileRunAction>): string =>
  `${step.reactor_unit} ${step.path} ${step.iteration}`;

interface NextStepsProps {
  readonly run: ProfileRunDetails;
  readonly known: PlannedActions;
  readonly onSkip: (item: WaitingItem) => void;
}

function Until({ ms }: { readonly ms: number }) {
  const now = useLeaderNow();
  return <>{useTicking(() => untilText(ms, now()))}</>;
}

function NextStep({
  item,
  units,
  text,
  place,
  onSkip,
}: {
  readonly item: WaitingItem;
  readonly units: readonly string[];
  readonly text: string;
  readonly place: RowPlace;
  readonly onSkip: () => void;
}) {
  const may = useMay();
  const { planned_at, action } = item;
  const unit = units.join(', ');
  const isWait = action === 'when';
  return (
    <Table.Tr data-next={item.path} {...place}>
      <Table.Td>
        {planned_at === null ? (
          'paused'
        ) : (
          <>
            <Moment ms={Date.parse(planned_at)} /> ({isWait ? 'evaluated ' : ''}
            <Until ms={Date.parse(planned_at)} />)
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
          aria-label={`${isWait ? 'End the wait' : 'Skip to this'}: ${unit} ${text}`}
          {...may(leaderApi.skipProfileItem)}
        >
          {isWait ? 'End the wait…' : 'Skip to this…'}
        </Button>
      </Table.Td>
    </Table.Tr>
  );
}

const skipText = ({ action }: WaitingItem): string =>
  action === 'when'
    ? 'The wait ends as if its condition held, and its actions follow.'
    : 'The run continues at the time of this action, on all units. What was due before is left out, except stops and pauses, which are carried out.';

/** What a run does next, and when. */
export function NextSteps({ run, known, onSkip }: NextStepsProps) {
  const [asked, setAsked] = useState<StepGroup<WaitingItem>>();
  const groups = useMemo(() => nextGroups(run.waiting), [run.waiting]);
  if (run.waiting.length === 0)
    return <Text size="sm">{run.outcome === null ? 'The run is ending.' : 'Nothing: the run has ended.'}</Text>;
  return (
    <>
      <Table aria-label="Next actions" className={styles.steps ?? ''} {...rowCountOf(groups)}>
        <Table.Thead>
          <Table.Tr>
            <Table.Th>When</Table.Th>
            <Table.Th>Units</Table.Th>
            <Table.Th>Action</Table.Th>
            <Table.Th>Control</Table.Th>
          </Table.Tr>
        </Table.Thead>
        <Table.Tbody>
          <LongRows rows={groups} keyOf={keyOfGroup} estimatedPx={41} kind="table">
            {(group, place) => (
              <NextStep
                item={group.step}
                units={group.units}
                text={itemText(group.step, known)}
                place={place}
                onSkip={() => setAsked(group)}
              />
            )}
          </LongRows>
        </Table.Tbody>
      </Table>
      {asked !== undefined && (
        <ConfirmControl
          title={asked.step.action === 'when' ? 'End this wait?' : 'Skip to this action?'}
          text={`${asked.units.join(', ')}: ${itemText(asked.step, known)}. ${skipText(asked.step)}`}
          action={asked.step.action === 'when' ? 'End the wait' : 'Skip'}
          isDangerous={false}
          onClose={() => setAsked(undefined)}
          onConfirm={() => onSkip(asked.step)}
        />
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
  if (actions.length === 0) return <Text size="sm">Nothing yet.</Text>;
  return (
    <Table aria-label="Actions of the run" className={styles.steps ?? ''} {...rowCountOf(groups)}>
      <Table.Thead>
        <Table.Tr>
          <Table.Th>Planned</Table.Th>
          <Table.Th>Carried out</Table.Th>
          <Table.Th>Units</Table.Th>
          <Table.Th>Action</Table.Th>
          <Table.Th>Outcome</Table.Th>
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
              <Table.Td>{units.join(', ')}</Table.Td>
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
