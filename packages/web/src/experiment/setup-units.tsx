import { leaderApi, type ReplicateGroup } from '@lcs/contract';
import { Autocomplete, Text, TextInput } from '@mantine/core';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useState } from 'react';
import { problemText } from '../api/problem.ts';
import { queryKeys } from '../api/query-keys.ts';
import { useAssignments, useLabels } from '../services/queries.ts';
import { useServices } from '../services/services.tsx';
import { useMay } from '../services/use-may.ts';
import { useMutation } from '../services/use-mutation.ts';
import { ProblemAlert } from '../ui/problem-alert.tsx';
import { commonWords } from '../words/common.ts';
import { experimentWords } from '../words/experiment.ts';
import { useShownExperiment } from './experiment-context.ts';
import { groupOf, withGroup } from './replicate-groups.ts';
import styles from './setup-tab.module.css';

/**
 * A text that is saved when the focus leaves it; a refused one stays, to be corrected. What is typed while an answer is on its way stays, too.
 * `onSave` resolves with whether the text was saved; `onTakenBack`: what is saved was typed again, and nothing is left to be corrected.
 */
function useTyped(saved: string, onSave: (text: string) => Promise<boolean>, onTakenBack?: () => void) {
  const [typed, setTyped] = useState<string | null>(null);
  const [sent, setSent] = useState<string | null>(null);
  const value = typed ?? saved;
  const save = async (text: string): Promise<void> => {
    if (text === sent) return;
    if (sent === null && text === saved) {
      setTyped(null);
      onTakenBack?.();
      return;
    }
    setSent(text);
    const isSaved = await onSave(text);
    setSent((current) => (current === text ? null : current));
    if (isSaved) setTyped((current) => (current?.trim() === text ? null : current));
  };
  return { value, setTyped, save: (text = value) => save(text.trim()) };
}

interface RowProps {
  readonly unit: string;
  readonly label: string;
  readonly group: string;
  readonly groupNames: readonly string[];
  /** Without them a save would remove every other group. */
  readonly areGroupsKnown: boolean;
  readonly isHere: boolean;
  /** Why the label was refused; null: it was not. */
  readonly labelFault: string | null;
  readonly onLabel: (label: string) => Promise<boolean>;
  readonly onLabelTakenBack: () => void;
  readonly onGroup: (group: string) => Promise<boolean>;
}

function Row(props: RowProps) {
  const { unit, label, group, groupNames, areGroupsKnown, isHere, labelFault, onLabel, onLabelTakenBack, onGroup } =
    props;
  const may = useMay();
  const labelField = useTyped(label, onLabel, onLabelTakenBack);
  const groupField = useTyped(group, onGroup);
  const onKeyDown = (event: { readonly key: string; readonly currentTarget: HTMLElement }): void => {
    if (event.key === 'Enter') event.currentTarget.blur();
  };
  return (
    <tr>
      <th scope="row">
        <Link to="/units/$unit" params={{ unit }} className="page-link">
          {unit}
        </Link>
        {!isHere && <span className={styles.past}>{experimentWords.earlier}</span>}
      </th>
      <td>
        <TextInput
          aria-label={experimentWords.labelOf(unit)}
          placeholder={experimentWords.noLabel}
          maxLength={100}
          autoComplete="off"
          value={labelField.value}
          error={labelFault}
          onChange={(event) => labelField.setTyped(event.currentTarget.value)}
          onBlur={() => labelField.save()}
          onKeyDown={onKeyDown}
          {...may(leaderApi.putUnitLabel)}
        />
      </td>
      <td>
        <Autocomplete
          aria-label={experimentWords.replicateGroupOf(unit)}
          placeholder={experimentWords.noGroup}
          maxLength={100}
          data={[...groupNames]}
          value={groupField.value}
          onChange={groupField.setTyped}
          onOptionSubmit={groupField.save}
          onBlur={() => groupField.save()}
          withScrollArea={false}
          comboboxProps={{ withinPortal: false }}
          {...(areGroupsKnown ? may(leaderApi.replaceReplicateGroups) : { disabled: true })}
        />
      </td>
    </tr>
  );
}

const noGroups: readonly ReplicateGroup[] = [];

interface Move {
  readonly unit: string;
  /** The name of its new group; empty: none. */
  readonly group: string;
}

/** The groups of replicates of an experiment, and a function that moves a unit to another one. */
function useGroups(experiment: string) {
  const { leader } = useServices();
  const cache = useQueryClient();
  const queryKey = queryKeys.replicateGroups(experiment);
  const saved = useQuery({
    queryKey,
    queryFn: ({ signal }) => leader.listReplicateGroups({ params: { experiment }, signal }),
  });
  const move = useMutation({
    // A save replaces all groups: each starts from what the one before it has saved.
    scope: { id: `replicate groups of ${experiment}` },
    mutationFn: async ({ unit, group }: Move) => {
      // An older answer must not replace the saved groups.
      await cache.cancelQueries({ queryKey });
      const groups = cache.getQueryData(queryKey) ?? (await leader.listReplicateGroups({ params: { experiment } }));
      const next = [...withGroup(groups, unit, group)];
      const answer = await leader.replaceReplicateGroups({ params: { experiment }, body: { groups: next } });
      cache.setQueryData(queryKey, answer);
    },
  });
  return { saved, move };
}

/** The page shows the error of the mutation. */
const isDone = (act: Promise<unknown>): Promise<boolean> =>
  act.then(
    () => true,
    () => false,
  );

/** Label and group of each unit of the experiment: a group is a name that replicates share. */
export function SetupUnits() {
  const { name: experiment, units } = useShownExperiment();
  const { leader } = useServices();
  const cache = useQueryClient();
  const { data: labels = {} } = useLabels(experiment);
  const { data: assignments = [] } = useAssignments();
  const { saved, move } = useGroups(experiment);
  const { data: groups = noGroups } = saved;
  const here = new Set(assignments.flatMap((each) => (each.experiment === experiment ? [each.reactor_unit] : [])));
  const labelling = useMutation({
    scope: { id: `labels of ${experiment}` },
    mutationFn: (body: { readonly unit: string; readonly label: string }) =>
      leader.putUnitLabel({ params: { experiment }, body }),
    onSettled: () => cache.invalidateQueries({ queryKey: queryKeys.labels(experiment) }),
  });
  const labelFault = labelling.error && problemText(labelling.error).error;
  if (units.length === 0)
    return (
      <Text size="sm" c="dimmed">
        {experimentWords.noUnits}
      </Text>
    );
  return (
    <>
      <div className={styles.scroll}>
        <table className={styles.units} aria-label={experimentWords.labelsAndGroups}>
          <thead>
            <tr>
              <th scope="col">{commonWords.unit}</th>
              <th scope="col">{experimentWords.label}</th>
              <th scope="col">{experimentWords.replicateGroup}</th>
            </tr>
          </thead>
          <tbody>
            {units.map((unit) => (
              <Row
                key={unit}
                unit={unit}
                label={Object.entries(labels).find(([each]) => each === unit)?.[1] ?? ''}
                group={groupOf(groups, unit)}
                areGroupsKnown={saved.data !== undefined}
                groupNames={groups.map(({ name }) => name)}
                isHere={here.has(unit)}
                labelFault={labelling.variables?.unit === unit ? labelFault : null}
                onLabelTakenBack={() => {
                  if (labelling.variables?.unit === unit) labelling.reset();
                }}
                onLabel={(label) => isDone(labelling.mutateAsync({ unit, label }))}
                onGroup={(group) => isDone(move.mutateAsync({ unit, group }))}
              />
            ))}
          </tbody>
        </table>
      </div>
      {saved.error && !saved.data && (
        <ProblemAlert error={saved.error} onRetry={() => saved.refetch()} retrying={saved.isFetching} />
      )}
      {move.error && <ProblemAlert error={move.error} />}
    </>
  );
}
