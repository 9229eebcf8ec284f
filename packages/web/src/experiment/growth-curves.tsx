import type { GrowthSummary } from '@lcs/contract';
import { Button, Group, NumberInput, SegmentedControl, Select, Skeleton, Stack, Text } from '@mantine/core';
import { useMemo, useState } from 'react';
import { BandChart } from '../charts/band-chart.tsx';
import { useComputeGrowth, useGrowthComparison, useGrowthSummary } from '../services/growth-queries.ts';
import { Panel } from '../ui/panel.tsx';
import { ProblemAlert } from '../ui/problem-alert.tsx';
import styles from './growth-curves.module.css';
import { estimateText, type FitName, failureTexts, groupText, meanLines, numberText } from './growth-view.ts';

interface GrowthCurvesProps {
  readonly experiment: string;
  readonly nameOf: (unit: string) => string;
}

function Units({
  summary,
  fit,
  nameOf,
}: {
  summary: GrowthSummary;
  fit: FitName;
  nameOf: GrowthCurvesProps['nameOf'];
}) {
  return (
    <table className={styles.table} aria-label="Growth curves of units">
      <thead>
        <tr>
          <th>Unit</th>
          <th>µmax, 1/h (95 %)</th>
          <th>Lag, h (95 %)</th>
          <th>Capacity, OD (95 %)</th>
          <th>Doubling, h</th>
          <th>Generations</th>
        </tr>
      </thead>
      <tbody>
        {summary.units.map(({ reactor_unit, group, fits, generations }) => {
          const found = fits.find((one) => one.fit === fit);
          const failure = found?.failure;
          return (
            <tr key={reactor_unit}>
              <td>
                {nameOf(reactor_unit)}
                {group !== null && <Text span size="xs" c="dimmed">{` ${group}`}</Text>}
              </td>
              <td>{failure ? failureTexts[failure] : estimateText(found?.mu_max)}</td>
              <td>{estimateText(found?.lag_h)}</td>
              <td>{estimateText(found?.carrying_capacity)}</td>
              <td>{numberText(found?.doubling_time_h?.value)}</td>
              <td>{numberText(generations)}</td>
            </tr>
          );
        })}
      </tbody>
    </table>
  );
}

function Groups({ summary: { groups, tests }, fit }: { summary: GrowthSummary; fit: FitName }) {
  if (groups.length === 0) return null;
  return (
    <>
      <table className={styles.table} aria-label="Growth curves of groups">
        <thead>
          <tr>
            <th>Group: mean (95 %)</th>
            <th>µmax, 1/h</th>
            <th>Lag, h</th>
            <th>Capacity, OD</th>
            <th>Generations</th>
          </tr>
        </thead>
        <tbody>
          {groups.map((group) => (
            <tr key={group.name}>
              <td>{group.name}</td>
              <td>{groupText(group, 'mu_max', fit)}</td>
              <td>{groupText(group, 'lag_h', fit)}</td>
              <td>{groupText(group, 'carrying_capacity', fit)}</td>
              <td>{groupText(group, 'generations', null)}</td>
            </tr>
          ))}
        </tbody>
      </table>
      {tests
        .filter(({ quantity, fit: of }) => quantity === 'mu_max' && of === fit)
        .map(({ test, groups: names, p, p_adjusted }) => (
          <Text key={`${test} ${names.join(' ')}`} size="xs" c="dimmed">
            µmax of {names.join(', ')}: {test.replaceAll('_', ' ')}, p = {numberText(p)}
            {p_adjusted !== null && `, corrected ${numberText(p_adjusted)}`}
          </Text>
        ))}
    </>
  );
}

/** The curves of groups, with the 95 % interval of their mean. */
function Curves({ experiment }: { readonly experiment: string }) {
  const [align, setAlign] = useState<'start' | 'od'>('start');
  const [od, setOd] = useState(0.3);
  const { data } = useGrowthComparison(experiment, align === 'od' ? od : null);
  const shown = useMemo(() => data && meanLines(data), [data]);
  return (
    <Stack gap="xs">
      <Group gap="sm">
        <SegmentedControl
          size="xs"
          aria-label="Alignment of the curves"
          data={[
            { value: 'start', label: 'From the start' },
            { value: 'od', label: 'From an OD' },
          ]}
          value={align}
          onChange={(value) => setAlign(value === 'od' ? 'od' : 'start')}
        />
        {align === 'od' && (
          <NumberInput
            size="xs"
            w={90}
            aria-label="OD of the alignment"
            value={od}
            min={0.001}
            step={0.1}
            onChange={(value) => typeof value === 'number' && value > 0 && setOd(value)}
          />
        )}
        {shown !== undefined && shown.firstH < 0 && (
          <Text size="xs" c="dimmed">
            The OD is reached at {numberText(-shown.firstH)} h.
          </Text>
        )}
      </Group>
      {shown?.lines.length === 0 && (
        <Text size="sm" c="dimmed">
          No curve reaches this OD from below.
        </Text>
      )}
      {shown !== undefined && shown.lines.length > 0 && (
        <BandChart title="Mean OD and 95 % interval" unit="OD" lines={shown.lines} />
      )}
    </Stack>
  );
}

/** The growth curves of an experiment, for publications. They are computed on request: it takes the leader seconds. */
export function GrowthCurves({ experiment, nameOf }: GrowthCurvesProps) {
  const [isOpen, setOpen] = useState(false);
  const [fit, setFit] = useState<FitName>('gaussian_process');
  const { data, error, refetch, isFetching, isNotReady } = useGrowthSummary(experiment, isOpen);
  const compute = useComputeGrowth(experiment);
  const method = data?.fits.find((one) => one.fit === fit);
  return (
    <Panel title="Growth curves">
      {!isOpen && (
        <Button size="xs" variant="default" onClick={() => setOpen(true)}>
          Compute rates, lag and capacity
        </Button>
      )}
      {isNotReady && (
        <Button size="xs" variant="default" loading={compute.isPending} onClick={() => compute.mutate()}>
          Compute in the background, then try again
        </Button>
      )}
      {error && !data && <ProblemAlert error={error} onRetry={() => refetch()} retrying={isFetching} />}
      {isOpen && !data && !error && <Skeleton height={80} role="status" aria-label="Computing growth curves" />}
      {data?.units.length === 0 && (
        <Text size="sm" c="dimmed">
          No readings of optical density.
        </Text>
      )}
      {data && data.units.length > 0 && (
        <Stack gap="sm">
          <Select
            size="xs"
            w={320}
            aria-label="Fit"
            allowDeselect={false}
            data={data.fits.map((one) => ({ value: one.fit, label: one.title }))}
            value={fit}
            onChange={(_, option) => setFit(data.fits.find((one) => one.fit === option?.value)?.fit ?? fit)}
          />
          <div className={styles.scroll}>
            <Units summary={data} fit={fit} nameOf={nameOf} />
          </div>
          <div className={styles.scroll}>
            <Groups summary={data} fit={fit} />
          </div>
          <Curves experiment={experiment} />
          <Text size="xs" c="dimmed">
            {method?.reference}. Media doses are taken out. The dataset “Growth curve fits” has all numbers.
          </Text>
        </Stack>
      )}
    </Panel>
  );
}
