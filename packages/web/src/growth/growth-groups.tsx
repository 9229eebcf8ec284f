import type { GrowthGroup, GrowthTest } from '@lcs/contract';
import { Text } from '@mantine/core';
import styles from './growth-curves.module.css';
import { dilutionText, type FitName, groupNumber, hasReplicates, notesOf, numberText } from './growth-view.ts';
import { NumberCell, NumberNotes } from './number-cell.tsx';

interface GrowthGroupsProps {
  readonly groups: readonly GrowthGroup[];
  readonly tests: readonly GrowthTest[];
  readonly fit: FitName;
}

const quantities = ['mu_max', 'doubling_time_h', 'lag_h', 'carrying_capacity', 'generations'] as const;

const testTitles: { readonly [Test in GrowthTest['test']]: string } = {
  welch_t: 'Welch’s t-test',
  one_way_anova: 'one-way ANOVA',
  kruskal_wallis: 'Kruskal–Wallis test',
};

/** What replicates have in common, with the 95 % interval of each mean, and whether groups differ. */
export function GrowthGroups({ groups, tests, fit }: GrowthGroupsProps) {
  if (groups.length === 0) return null;
  const rows = groups.map((group) => ({
    name: group.name,
    numbers: quantities.map((quantity) => ({
      quantity,
      ...groupNumber(group, quantity, quantity === 'generations' ? null : fit),
    })),
  }));
  const diluted = dilutionText([...new Set(groups.flatMap(({ diluted_units }) => diluted_units))]);
  const notes = notesOf(rows.flatMap(({ numbers }) => numbers));
  return (
    <>
      <table className={styles.table} aria-label="Growth curves of groups">
        <thead>
          <tr>
            <th>{hasReplicates(groups) ? 'Group: mean (95 %)' : 'Group of one unit'}</th>
            <th>µmax, 1/h</th>
            <th>Doubling, h</th>
            <th>Lag, h</th>
            <th>Capacity, OD</th>
            <th>Generations</th>
          </tr>
        </thead>
        <tbody>
          {rows.map(({ name, numbers }) => (
            <tr key={name}>
              <td>{name}</td>
              {numbers.map(({ quantity, text, reason }) => (
                <NumberCell key={quantity} text={text} {...(reason !== undefined && { reason })} notes={notes} />
              ))}
            </tr>
          ))}
        </tbody>
      </table>
      <NumberNotes notes={notes} />
      {diluted !== '' && <Text size="sm">{diluted}</Text>}
      {tests
        .filter(({ quantity, fit: of }) => quantity === 'mu_max' && of === fit)
        .map(({ test, groups: names, p, p_adjusted }) => (
          <Text key={`${test} ${names.join(' ')}`} size="sm" c="dimmed">
            µmax of {names.join(', ')}: {testTitles[test]}, p = {numberText(p)}
            {p_adjusted !== null && `, corrected ${numberText(p_adjusted)}`}
          </Text>
        ))}
    </>
  );
}
