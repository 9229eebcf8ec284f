import { Group, NumberInput, SegmentedControl, Skeleton, Stack, Text } from '@mantine/core';
import { useMemo, useState } from 'react';
import { BandChart } from '../charts/band-chart.tsx';
import { meanRule } from '../charts/group-lines.ts';
import { UnitLegend } from '../charts/unit-legend.tsx';
import { useGrowthComparison } from '../services/growth-queries.ts';
import { ProblemAlert } from '../ui/problem-alert.tsx';
import type { Alignment } from './alignment.ts';
import { hasReplicates, meanLines, numberText } from './growth-view.ts';
import { MissingCurves } from './missing-curves.tsx';

interface AlignmentChoiceProps {
  readonly alignment: Alignment;
  readonly onAlignment: (alignment: Alignment) => void;
}

/** A usual OD of the exponential phase. */
const usualOd = 0.3;

const choices = [
  { value: 'start', label: 'Start' },
  { value: 'first_dilution', label: 'First dilution' },
  { value: 'od', label: 'OD' },
];

/** What hour 0 of the curves is. */
function AlignmentChoice({ alignment, onAlignment }: AlignmentChoiceProps) {
  const [od, setOd] = useState<string | number>(alignment.on === 'od' ? alignment.od : usualOd);
  const choose = (on: string): void => {
    if (on === 'od') onAlignment({ on, od: Number(od) > 0 ? Number(od) : usualOd });
    else onAlignment({ on: on === 'first_dilution' ? on : 'start' });
  };
  return (
    <Group gap="sm">
      <Text size="sm">Hour 0:</Text>
      <SegmentedControl
        size="xs"
        aria-label="Alignment of the curves"
        data={choices}
        value={alignment.on}
        onChange={choose}
      />
      {alignment.on === 'od' && (
        <NumberInput
          size="xs"
          w={90}
          aria-label="OD of the alignment"
          value={od}
          min={0.001}
          max={1000}
          step={0.1}
          onChange={(value) => {
            setOd(value);
            if (typeof value === 'number' && value > 0) onAlignment({ on: 'od', od: value });
          }}
        />
      )}
    </Group>
  );
}

/** The mean curves of groups of replicates with the 95 % interval of the mean, laid over each other. */
export function AlignedCurves({
  experiments,
  alignment,
  onAlignment,
}: AlignmentChoiceProps & { readonly experiments: readonly string[] }) {
  const { data, error, refetch, isFetching, isNotReady } = useGrowthComparison(experiments, alignment);
  const all = useMemo(() => data && meanLines(data), [data]);
  const [hidden, setHidden] = useState<ReadonlySet<string>>(new Set());
  const lines = useMemo(() => all?.lines.filter(({ name }) => !hidden.has(name)), [all, hidden]);
  const names = all?.lines.map(({ name }) => name) ?? [];
  const left = data?.experiments.flatMap(({ curves }) => curves.filter(({ failure }) => failure !== null)) ?? [];
  const empty = data?.experiments.filter(({ curves }) => curves.length === 0).map(({ experiment }) => experiment) ?? [];
  const hasCurve = data?.experiments.some(({ curves }) => curves.some(({ failure }) => failure === null)) ?? false;
  const areMeans = hasReplicates(data?.groups ?? []);
  const toggle = (name: string): void => {
    const next = new Set(hidden);
    if (!next.delete(name)) next.add(name);
    setHidden(next);
  };
  return (
    <Stack gap="sm">
      <Group gap="sm" justify="space-between">
        <AlignmentChoice alignment={alignment} onAlignment={onAlignment} />
        {all !== undefined && all.firstH < 0 && (
          <Text size="sm" c="dimmed">
            Hour 0 is at {numberText(-all.firstH)} h of the axis.
          </Text>
        )}
      </Group>
      {names.length > 1 && (
        <UnitLegend
          units={names}
          nameOf={(name) => name}
          hidden={hidden}
          onToggle={toggle}
          onOnly={(name) => setHidden(new Set(names.filter((each) => each !== name)))}
          onHighlight={() => {}}
        />
      )}
      {isNotReady && !data && <MissingCurves experiments={experiments} onComputed={() => void refetch()} />}
      {error && !isNotReady && !data && <ProblemAlert error={error} onRetry={() => refetch()} retrying={isFetching} />}
      {data === undefined && !error && <Skeleton height={280} role="status" aria-label="Computing curves" />}
      {names.length === 0 && data !== undefined && (
        <Text size="sm">
          {hasCurve ? 'No mean: there is no time at which enough units have values.' : 'No curve has this hour 0.'}
        </Text>
      )}
      {empty.length > 0 && (
        <Text size="sm" c="dimmed">
          Without readings of OD: {empty.join(', ')}.
        </Text>
      )}
      {left.length > 0 && (
        <Text size="sm" c="dimmed">
          Without this hour 0: {left.map(({ label, reactor_unit }) => label ?? reactor_unit).join(', ')}.
        </Text>
      )}
      {lines !== undefined && lines.length > 0 && (
        <>
          <BandChart title={areMeans ? 'Mean OD and 95 % interval' : 'OD'} unit="OD" lines={lines} />
          {areMeans && (
            <Text size="sm" c="dimmed">
              {meanRule}
            </Text>
          )}
        </>
      )}
    </Stack>
  );
}
