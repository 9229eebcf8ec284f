import { ActionIcon, Button, Group, NumberInput, Popover, SegmentedControl, Stack, Switch, Text } from '@mantine/core';
import { type ReactNode, useState } from 'react';
import { DotsIcon } from '../ui/icons.tsx';
import styles from './chart-options.module.css';
import type { YChoice } from './y-choice.ts';
import type { Range } from './y-scale.ts';

export interface AxisChoice {
  readonly isLogarithmic: boolean;
  readonly y: YChoice;
}

interface ChartOptionsProps {
  readonly title: string;
  readonly axis: AxisChoice;
  /** The shown range of values: a person begins with it. */
  readonly shownValues: () => Range | null;
  readonly onAxis: (axis: AxisChoice) => void;
  /** More of the menu. */
  readonly children?: ReactNode;
}

const choices = [
  { value: 'auto', label: 'Most values' },
  { value: 'all', label: 'All values' },
  { value: 'fixed', label: 'Fixed' },
];

const rounded = (value: number): number => Number(value.toPrecision(3));

interface FixedRangeProps {
  readonly range: Range;
  readonly isLogarithmic: boolean;
  readonly onRange: (range: Range) => void;
}

function faultOf(low: number | string, high: number | string, isLogarithmic: boolean): string | null {
  if (typeof low !== 'number' || typeof high !== 'number') return 'Enter two numbers.';
  if (low >= high) return 'The upper limit must be above the lower one.';
  return isLogarithmic && low <= 0 ? 'A logarithmic scale begins above 0.' : null;
}

/** The limits of an axis. */
function FixedRange({ range, isLogarithmic, onRange }: FixedRangeProps) {
  const [low, setLow] = useState<number | string>(range[0]);
  const [high, setHigh] = useState<number | string>(range[1]);
  const fault = faultOf(low, high, isLogarithmic);
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault();
        if (fault === null) onRange([Number(low), Number(high)]);
      }}
    >
      <Group gap="xs" align="flex-end" wrap="nowrap">
        <NumberInput size="sm" label="From" value={low} onChange={setLow} hideControls />
        <NumberInput size="sm" label="To" value={high} onChange={setHigh} hideControls />
        <Button size="sm" type="submit" variant="default" className={styles.apply} disabled={fault !== null}>
          Apply
        </Button>
      </Group>
      {fault !== null && (
        <Text size="xs" c="red" role="alert">
          {fault}
        </Text>
      )}
    </form>
  );
}

/** The scale of one chart, and what else can be done with it. */
export function ChartOptions({ title, axis, shownValues, onAxis, children }: ChartOptionsProps) {
  const [isOpen, setOpen] = useState(false);
  const { isLogarithmic, y } = axis;
  const kind = typeof y === 'string' ? y : 'fixed';
  const choose = (value: string): void => {
    const shown = shownValues() ?? [0, 1];
    const fixed = [rounded(shown[0]), rounded(shown[1])] as const;
    onAxis({ isLogarithmic, y: value === 'fixed' ? fixed : value === 'all' ? 'all' : 'auto' });
  };
  return (
    <Popover opened={isOpen} onChange={setOpen} position="bottom-end" trapFocus returnFocus withinPortal shadow="md">
      <Popover.Target>
        <ActionIcon
          variant="subtle"
          color="gray"
          className={styles.button}
          aria-label={`Options of ${title}`}
          title="Scale and export"
          onClick={() => setOpen(!isOpen)}
        >
          <DotsIcon />
        </ActionIcon>
      </Popover.Target>
      <Popover.Dropdown aria-label={`Options of ${title}`}>
        <Stack gap="sm" className={styles.form}>
          <div>
            <Text size="sm" fw={600} mb={4}>
              Vertical axis
            </Text>
            <SegmentedControl
              size="sm"
              fullWidth
              aria-label={`Values of ${title}`}
              data={choices}
              value={kind}
              onChange={choose}
            />
          </div>
          {typeof y !== 'string' && (
            <FixedRange
              key={y.join()}
              range={y}
              isLogarithmic={isLogarithmic}
              onRange={(range) => onAxis({ isLogarithmic, y: range })}
            />
          )}
          {kind === 'auto' && (
            <Text size="xs" c="dimmed">
              Single values far from all others are marked at the edge.
            </Text>
          )}
          <Switch
            label="Logarithmic scale"
            checked={isLogarithmic}
            onChange={(event) => onAxis({ isLogarithmic: event.currentTarget.checked, y })}
          />
          {children}
        </Stack>
      </Popover.Dropdown>
    </Popover>
  );
}
