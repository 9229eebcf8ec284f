import { Stack, Text } from '@mantine/core';
import { Link } from '@tanstack/react-router';
import { CalibrationList } from '../calibrations/calibration-list.tsx';

/** The calibrations of the unit; new ones are made by the procedures of the page of calibrations. */
export const CalibrationsTab = ({ unit }: { readonly unit: string }) => (
  <Stack gap="md">
    <Text size="sm">
      New calibrations and the self-test are{' '}
      <Link to="/calibrations" search={{ unit }} className="page-link">
        procedures of {unit}
      </Link>
      .
    </Text>
    <CalibrationList unit={unit} />
  </Stack>
);
