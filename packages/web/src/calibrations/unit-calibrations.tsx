import { Stack } from '@mantine/core';
import { getRouteApi } from '@tanstack/react-router';
import { BlankInUse } from './blank-in-use.tsx';
import { CalibrationList } from './calibration-list.tsx';
import { ProcedureList } from './procedure-list.tsx';
import { SessionPanel } from './session-panel.tsx';

const route = getRouteApi('/units/$unit');

/** The calibrations of one unit and its procedures, or the procedure that is open; it is in the address. */
export function UnitCalibrations({ unit }: { readonly unit: string }) {
  const { session, device } = route.useSearch();
  const navigate = route.useNavigate();
  const open = (id: string | undefined): void =>
    void navigate({
      to: '/units/$unit',
      params: { unit },
      search: { tab: 'calibrations', ...(id !== undefined && { session: id }) },
    });
  if (session !== undefined)
    return <SessionPanel key={session} unit={unit} sessionId={session} onLeave={() => open(undefined)} />;
  return (
    <Stack gap="lg">
      <CalibrationList key={`${unit} stored`} unit={unit} device={device} />
      <BlankInUse key={`${unit} blank`} unit={unit} />
      <ProcedureList key={unit} unit={unit} device={device} onOpen={open} />
    </Stack>
  );
}
