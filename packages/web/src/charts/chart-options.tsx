import { ActionIcon, Popover, SegmentedControl, Stack, Switch, Text } from '@mantine/core';
import { lazy, type ReactNode, Suspense, useState } from 'react';
import { DotsIcon } from '../ui/icons.tsx';
import { chartsWords } from '../words/charts.ts';
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
  { value: 'auto', label: chartsWords.mostValues },
  { value: 'all', label: chartsWords.allValues },
  { value: 'fixed', label: chartsWords.fixed },
];

const rounded = (value: number): number => Number(value.toPrecision(3));

/** Its number fields are not part of the first view of an experiment. */
const FixedRange = lazy(() => import('./fixed-range.tsx').then((module) => ({ default: module.FixedRange })));

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
          aria-label={chartsWords.optionsOf(title)}
          title={chartsWords.scaleAndExport}
          onClick={() => setOpen(!isOpen)}
        >
          <DotsIcon />
        </ActionIcon>
      </Popover.Target>
      <Popover.Dropdown aria-label={chartsWords.optionsOf(title)}>
        <Stack gap="sm" className={styles.form}>
          <div>
            <Text size="sm" fw={600} mb={4}>
              {chartsWords.verticalAxis}
            </Text>
            <SegmentedControl
              size="sm"
              fullWidth
              aria-label={chartsWords.valuesOf(title)}
              data={choices}
              value={kind}
              onChange={choose}
            />
          </div>
          {typeof y !== 'string' && (
            <Suspense fallback={null}>
              <FixedRange
                key={y.join()}
                range={y}
                isLogarithmic={isLogarithmic}
                onRange={(range) => onAxis({ isLogarithmic, y: range })}
              />
            </Suspense>
          )}
          {kind === 'auto' && (
            <Text size="xs" c="dimmed">
              {chartsWords.outliersMarked}
            </Text>
          )}
          <Switch
            label={chartsWords.logarithmicScale}
            checked={isLogarithmic}
            onChange={(event) => onAxis({ isLogarithmic: event.currentTarget.checked, y })}
          />
          {children}
        </Stack>
      </Popover.Dropdown>
    </Popover>
  );
}
