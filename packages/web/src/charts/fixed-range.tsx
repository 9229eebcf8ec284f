import { Button, Group, Text } from '@mantine/core';
import { useState } from 'react';
import { NumberField } from '../forms/number-field.tsx';
import { chartsWords } from '../words/charts.ts';
import { commonWords } from '../words/common.ts';
import styles from './chart-options.module.css';
import type { Range } from './y-scale.ts';

interface FixedRangeProps {
  readonly range: Range;
  readonly isLogarithmic: boolean;
  readonly onRange: (range: Range) => void;
}

function faultOf(low: number | string, high: number | string, isLogarithmic: boolean): string | null {
  if (typeof low !== 'number' || typeof high !== 'number') return chartsWords.enterTwoNumbers;
  if (low >= high) return chartsWords.limitsReversed;
  return isLogarithmic && low <= 0 ? chartsWords.logarithmNeedsAboveZero : null;
}

/** The limits of an axis. */
export function FixedRange({ range, isLogarithmic, onRange }: FixedRangeProps) {
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
        <NumberField size="sm" label={commonWords.from} value={low} onChange={setLow} />
        <NumberField size="sm" label={commonWords.to} value={high} onChange={setHigh} />
        <Button size="sm" type="submit" variant="default" className={styles.apply} disabled={fault !== null}>
          {chartsWords.apply}
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
