import { ownValue, type SessionResult, type SessionStep, type StepTable } from '@lcs/contract';
import { Button, Group, Skeleton, Stack, Table, Text } from '@mantine/core';
import { type Ref, useEffect, useRef, useState } from 'react';
import { Dialog, DialogActions } from '../ui/dialog.tsx';
import { Panel } from '../ui/panel.tsx';
import { ProblemAlert } from '../ui/problem-alert.tsx';
import { CalibrationChart } from './calibration-chart.tsx';
import styles from './calibrations.module.css';
import { PointChart } from './point-chart.tsx';
import { chartOf, createdCalibrations, resultFacts, tableOf } from './session-step.ts';
import { StepForm } from './step-form.tsx';
import { useCalibrations, useSession } from './use-calibrations.ts';

interface SessionPanelProps {
  readonly unit: string;
  readonly sessionId: string;
  readonly onLeave: () => void;
}

function StepTableView({ table }: { readonly table: StepTable }) {
  const { title, columns, rows } = table;
  return (
    <Table.ScrollContainer minWidth={300}>
      <Table withTableBorder captionSide="top">
        <Table.Caption>{title}</Table.Caption>
        <Table.Thead>
          <Table.Tr>
            {columns.map((column) => (
              <Table.Th key={column}>{column}</Table.Th>
            ))}
          </Table.Tr>
        </Table.Thead>
        <Table.Tbody>
          {rows.map((row) => (
            <Table.Tr key={row.join('|')}>
              {row.map((cell, at) => (
                <Table.Td key={columns[at]}>{cell}</Table.Td>
              ))}
            </Table.Tr>
          ))}
        </Table.Tbody>
      </Table>
    </Table.ScrollContainer>
  );
}

/** The text of a step with its chart and its table. The heading receives the focus when another step begins. */
function StepContent({ step, heading }: { readonly step: SessionStep; readonly heading: Ref<HTMLHeadingElement> }) {
  const chart = chartOf(step);
  const table = tableOf(step);
  return (
    <>
      <h3 ref={heading} tabIndex={-1} className={styles.step}>
        {step.title ?? step.step_id}
      </h3>
      {step.body !== null && <Text size="sm">{step.body}</Text>}
      {chart && (
        <PointChart
          {...chart}
          description={chart.series.map(({ label, points }) => `${label}: ${points.length} points`).join(', ')}
        />
      )}
      {table && <StepTableView table={table} />}
    </>
  );
}

interface ResultFactsProps {
  readonly unit: string;
  readonly result: SessionResult | null;
}

function ResultFacts({ unit, result }: ResultFactsProps) {
  const created = createdCalibrations(result);
  const stored = useCalibrations(unit, created.length > 0).data ?? {};
  const charts = created.flatMap(({ device, name }) =>
    (ownValue(stored, device) ?? [])
      .filter((one) => one.calibration_name === name)
      .map((calibration) => ({ device, calibration })),
  );
  return (
    <>
      {created.length > 0 && (
        <Text size="sm">
          Stored and in use: {created.map(({ device, name }) => `${name} of ${device.replaceAll('_', ' ')}`).join(', ')}
          .
        </Text>
      )}
      {charts.map(({ device, calibration }) => (
        <CalibrationChart key={device} calibration={calibration} />
      ))}
      <dl className={styles.facts}>
        {resultFacts(result).map(([name, value]) => (
          <div key={name}>
            <dt>{name}</dt>
            <dd>{value}</dd>
          </div>
        ))}
      </dl>
    </>
  );
}

/** Shown while the step is being loaded, and when the unit has no step for the session. */
const NoStep = ({ isKnown }: { readonly isKnown: boolean }) =>
  isKnown ? (
    <Text size="sm">
      The unit cannot continue this session: its configuration no longer contains the device of the session. Restore the
      configuration, then open the session again.
    </Text>
  ) : (
    <Skeleton height={120} />
  );

interface CancelDialogProps {
  readonly isOpen: boolean;
  readonly isPending: boolean;
  readonly onClose: () => void;
  readonly onCancelSession: () => void;
}

/** Asks before a session is cancelled. */
function CancelDialog({ isOpen, isPending, onClose, onCancelSession }: CancelDialogProps) {
  return (
    <Dialog title="Cancel this session?" isOpen={isOpen} onClose={onClose}>
      <Text size="sm">All outputs are switched off at once. The measurements of this session are lost.</Text>
      <DialogActions>
        <Button variant="default" onClick={onClose}>
          Keep the session
        </Button>
        <Button color="red.9" loading={isPending} onClick={onCancelSession}>
          Cancel the session
        </Button>
      </DialogActions>
    </Dialog>
  );
}

/** Moves the focus to the heading when the step changes, for keyboards and screen readers. */
function useFocusOnChange(place: string) {
  const heading = useRef<HTMLHeadingElement>(null);
  const shownPlace = useRef('');
  useEffect(() => {
    if (shownPlace.current !== '' && shownPlace.current !== place) heading.current?.focus();
    shownPlace.current = place;
  }, [place]);
  return heading;
}

/** One guided session, step by step; after a reload it continues where it was. */
export function SessionPanel({ unit, sessionId, onLeave }: SessionPanelProps) {
  const { session: query, advance, stop, abort } = useSession(unit, sessionId);
  const [isAsking, setIsAsking] = useState(false);
  const { data: envelope, error, isFetching, refetch } = query;
  const step = envelope?.step ?? undefined;
  const place = `${step?.step_id ?? ''} ${step?.title ?? ''} ${envelope?.session.updated_at ?? ''}`;
  const heading = useFocusOnChange(place);

  if (envelope === undefined || step === undefined)
    return (
      <Panel title="Guided session">
        {error ? (
          <ProblemAlert error={error} onRetry={() => void refetch()} retrying={isFetching} />
        ) : (
          <NoStep isKnown={envelope !== undefined} />
        )}
        <Button mt="xs" variant="default" onClick={onLeave}>
          Back to the calibrations
        </Button>
      </Panel>
    );
  const { session } = envelope;
  return (
    <Panel title={`${session.target_device.replaceAll('_', ' ')}, ${session.protocol_name.replaceAll('_', ' ')}`}>
      <Stack gap="sm" className={styles.session}>
        <StepContent step={step} heading={heading} />
        {session.status === 'in_progress' ? (
          <StepForm
            key={place}
            step={step}
            progress={step.metadata.progress}
            isPending={advance.isPending}
            error={advance.error ?? stop.error}
            onAdvance={(inputs) => advance.mutate(inputs)}
            onStop={() => stop.mutate()}
            isStopping={stop.isPending}
            onAbort={() => setIsAsking(true)}
          />
        ) : (
          <>
            <ResultFacts unit={unit} result={session.result} />
            <Group>
              <Button onClick={onLeave}>Back to the calibrations</Button>
            </Group>
          </>
        )}
        {abort.error && <ProblemAlert error={abort.error} />}
      </Stack>
      <CancelDialog
        isOpen={isAsking}
        isPending={abort.isPending}
        onClose={() => setIsAsking(false)}
        onCancelSession={() => abort.mutate(undefined, { onSettled: () => setIsAsking(false) })}
      />
    </Panel>
  );
}
