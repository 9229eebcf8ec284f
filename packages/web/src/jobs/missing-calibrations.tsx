import { deviceWords } from '@lcs/domain';
import { Alert, Text } from '@mantine/core';
import { useAllCalibrations } from '../services/queries.ts';
import { WarningIcon } from '../ui/icons.tsx';
import { jobsWords } from '../words/jobs.ts';
import { devicesNeededBy } from './needed-pumps.ts';

interface MissingCalibrationsProps {
  /** Of the dosing; null: none is chosen. */
  readonly automation: string | null;
  readonly units: readonly string[];
  readonly nameOf: (unit: string) => string;
}

/** Says which pumps of an automation have no active calibration: the units would refuse the start. */
export function MissingCalibrations({ automation, units, nameOf }: MissingCalibrationsProps) {
  const { data } = useAllCalibrations();
  const needed = devicesNeededBy(automation);
  const missing = units.flatMap((unit) => {
    const active = (data ?? []).filter((each) => each.reactor_unit === unit && each.is_active);
    const off = needed.filter((device) => !active.some((each) => each.device === device));
    return off.length === 0 ? [] : [{ unit, off }];
  });
  if (data === undefined || missing.length === 0) return null;
  return (
    <Alert color="orange" variant="light" icon={<WarningIcon />} role="status">
      {missing.map(({ unit, off }) => (
        <Text key={unit} size="sm">
          {jobsWords.pumpsNotCalibrated(nameOf(unit), off.map(deviceWords).join(', '))}
        </Text>
      ))}
    </Alert>
  );
}
