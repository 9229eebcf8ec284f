import { ownValue, type SessionStep } from '@lcs/contract';
import { Button, Group, Skeleton, Stack, Table, Text } from '@mantine/core';
import { useEffect, useRef, useState } from 'react';
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

/** What a step shows beside its words. */
function StepPictures({ step }: { readonly step: SessionStep }) {
  const chart = chartOf(step);
  const table = tableOf(step);
  return (
    <>
      {chart && (
        <PointChart
          {...chart}
          description={chart.series.map(({ label, points }) => `${label}: ${points.length} points`).join(', ')}
        />
      )}
      {table && (
        <Table.ScrollContainer minWidth={300}>
          <Table withTableBorder captionSide="top">
            <Table.Caption>{table.title}</Table.Caption>
            <Table.Thead>
              <Table.Tr>
                {table.columns.map((column) => (
                  <Table.Th key={column}>{column}</Table.Th>
                ))}
              </Table.Tr>
            </Table.Thead>
            <Table.Tbody>
              {table.rows.map((row) => (
                <Table.Tr key={row.join('|')}>
                  {row.map((cell, at) => (
                    <Table.Td key={table.columns[at]}>{cell}</Table.Td>
                  ))}
                </Table.Tr>
              ))}
            </Table.Tbody>
          </Table>
        </Table.ScrollContainer>
      )}
    </>
  );
}

interface ResultFactsProps {
  readonly unit: string;
  readonly result: Readonly<Record<string, unknown>> | null;
}

function ResultFacts({ unit, result }: ResultFactsProps) {
  const made = createdCalibrations(result);
  const stored = useCalibrations(unit, made.length > 0).data ?? {};
  const charts = made.flatMap(({ device, name }) =>
    (ownValue(stored, device) ?? [])
      .filter((one) => one.calibration_name === name)
      .map((calibration) => ({ device, calibration })),
  );
  return (
    <>
      {made.length > 0 && (
        <Text size="sm">
          Stored and in use: {made.map(({ device, name }) => `${name} of ${device.replaceAll('_', ' ')}`).join(', ')}.
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

/** In place of a step: it is not here yet, or the unit has none. */
const NoStep = ({ isKnown }: { readonly isKnown: boolean }) =>
  isKnown ? (
    <Text size="sm">
      The unit cannot go on with this session: its configuration no longer has what the session is about. Put that back,
      and open the session again.
    </Text>
  ) : (
    <Skeleton height={120} />
  );

/** One guided session, step by step; after a reload it goes on where it was. */
export function SessionPanel({ unit, sessionId, onLeave }: SessionPanelProps) {
  const { session: query, advance, stop, abort } = useSession(unit, sessionId);
  const [isAsking, setIsAsking] = useState(false);
  const heading = useRef<HTMLHeadingElement>(null);
  const { data: envelope, error, isFetching, refetch } = query;
  const step = envelope?.step ?? undefined;
  const place = `${step?.step_id ?? ''} ${step?.title ?? ''} ${envelope?.session.updated_at ?? ''}`;
  const shownPlace = useRef('');
  useEffect(() => {
    // Another step begins at its title, for keyboards and readers too.
    if (shownPlace.current !== '' && shownPlace.current !== place) heading.current?.focus();
    shownPlace.current = place;
  }, [place]);

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
  const isOpen = session.status === 'in_progress';
  const end = () => abort.mutate(undefined, { onSettled: () => setIsAsking(false) });
  return (
    <Panel title={`${session.target_device.replaceAll('_', ' ')}, ${session.protocol_name.replaceAll('_', ' ')}`}>
      <Stack gap="sm" className={styles.session}>
        <h3 ref={heading} tabIndex={-1} className={styles.step}>
          {step.title ?? step.step_id}
        </h3>
        {step.body !== null && <Text size="sm">{step.body}</Text>}
        <StepPictures step={step} />
        {isOpen ? (
          <StepForm
            key={place}
            step={step}
            progress={step.metadata.progress}
            isPending={advance.isPending}
            error={advance.error ?? stop.error}
            onGive={(inputs) => advance.mutate(inputs)}
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
      <Dialog title="Cancel this session?" isOpen={isAsking} onClose={() => setIsAsking(false)}>
        <Text size="sm">What runs is switched off at once. What was measured in it is lost; nothing is stored.</Text>
        <DialogActions>
          <Button variant="default" onClick={() => setIsAsking(false)}>
            Go on with it
          </Button>
          <Button color="red.9" loading={abort.isPending} onClick={end}>
            Cancel it
          </Button>
        </DialogActions>
      </Dialog>
    </Panel>
  );
}
