import {
  leaderApi,
  ownValue,
  type SessionResult,
  type SessionStep,
  type StepAction,
  type StepTable,
} from '@lcs/contract';
import { Alert, Button, Group, Skeleton, Stack, Table, Text } from '@mantine/core';
import { type Ref, useEffect, useRef, useState } from 'react';
import { plainWords } from '../api/plain-words.ts';
import { useMay } from '../services/use-may.ts';
import { WarningIcon } from '../ui/icons.tsx';
import { Panel } from '../ui/panel.tsx';
import { ProblemAlert } from '../ui/problem-alert.tsx';
import { calibrationsWords } from '../words/calibrations.ts';
import { commonWords } from '../words/common.ts';
import { CalibrationChart } from './calibration-chart.tsx';
import { deviceTitle } from './calibration-matrix.ts';
import styles from './calibrations.module.css';
import { CancelSessionDialog } from './cancel-session-dialog.tsx';
import { PointChart } from './point-chart.tsx';
import { bodyOf, chartOf, createdCalibrations, resultFacts, tableOf } from './session-step.ts';
import { StepForm } from './step-form.tsx';
import { useCalibrations, useSession } from './use-calibrations.ts';

interface SessionPanelProps {
  readonly unit: string;
  readonly sessionId: string;
  readonly onLeave: () => void;
}

interface StepTableViewProps {
  readonly table: StepTable;
  /** Undefined: the rows are only shown. */
  readonly onAct?: ((inputs: StepAction['inputs']) => void) | undefined;
}

/** The rows of a step, each with what can be done with it. */
function StepTableView({ table, onAct }: StepTableViewProps) {
  const { title, columns, rows, row_actions } = table;
  const may = useMay();
  return (
    <Table.ScrollContainer minWidth={300}>
      <Table captionSide="top" className={styles.rows ?? ''}>
        <Table.Caption>{title}</Table.Caption>
        <Table.Thead>
          <Table.Tr>
            {columns.map((column) => (
              <Table.Th key={column}>{column}</Table.Th>
            ))}
            {onAct && row_actions && <Table.Th>{commonWords.actions}</Table.Th>}
          </Table.Tr>
        </Table.Thead>
        <Table.Tbody>
          {rows.map((row, index) => (
            <Table.Tr key={row.join('|')}>
              {row.map((cell, at) => (
                <Table.Td key={columns[at]}>{cell}</Table.Td>
              ))}
              {onAct && row_actions && (
                <Table.Td className={styles.rowActions ?? ''}>
                  {row_actions[index]?.map(({ label, inputs }) => (
                    <Button
                      key={label}
                      size="compact-sm"
                      variant="subtle"
                      aria-label={calibrationsWords.rowOf(label, index + 1)}
                      onClick={() => onAct(inputs)}
                      {...may(leaderApi.advanceCalibrationSession)}
                    >
                      {label}
                    </Button>
                  ))}
                </Table.Td>
              )}
            </Table.Tr>
          ))}
        </Table.Tbody>
      </Table>
    </Table.ScrollContainer>
  );
}

interface StepContentProps {
  readonly step: SessionStep;
  readonly heading: Ref<HTMLHeadingElement>;
  readonly onAct: StepTableViewProps['onAct'];
}

/** The text of a step with its chart and its table. The heading receives the focus when another step begins. */
function StepContent({ step, heading, onAct }: StepContentProps) {
  const chart = chartOf(step);
  const table = tableOf(step);
  const { notice, experiment_effect: effect } = step.metadata;
  const body = bodyOf(step);
  return (
    <>
      <h3 ref={heading} tabIndex={-1} className={styles.step}>
        {step.title ?? plainWords(step.step_id)}
      </h3>
      {effect !== undefined && (
        <Alert color="orange" variant="light" icon={<WarningIcon />} role="note">
          {effect}
        </Alert>
      )}
      {body !== '' && <Text size="sm">{body}</Text>}
      {notice !== undefined && (
        <Alert color="orange" variant="light" icon={<WarningIcon />} role="status">
          {notice}
        </Alert>
      )}
      {chart && (
        <PointChart
          {...chart}
          description={chart.series
            .map(({ label, points }) => calibrationsWords.pointsOfCurve(label, points.length))
            .join(', ')}
        />
      )}
      {table && <StepTableView table={table} onAct={onAct} />}
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
          {calibrationsWords.storedAndActive(
            created.map(({ device, name }) => `${name} (${deviceTitle(device)})`).join(', '),
          )}
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
  isKnown ? <Text size="sm">{calibrationsWords.sessionDeviceMissing}</Text> : <Skeleton height={120} />;

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

/** One procedure, step by step; after a reload it continues where it was. */
export function SessionPanel({ unit, sessionId, onLeave }: SessionPanelProps) {
  const { session: query, advance, advanceOnce, stop, abort } = useSession(unit, sessionId);
  const [isAsking, setIsAsking] = useState(false);
  const { data: envelope, error, isFetching, refetch } = query;
  const step = envelope?.step ?? undefined;
  const place = `${step?.step_id ?? ''} ${step?.title ?? ''} ${envelope?.session.updated_at ?? ''}`;
  const heading = useFocusOnChange(place);

  if (envelope === undefined || step === undefined)
    return (
      <Panel title={calibrationsWords.procedure}>
        {error ? (
          <ProblemAlert error={error} onRetry={() => void refetch()} retrying={isFetching} />
        ) : (
          <NoStep isKnown={envelope !== undefined} />
        )}
        <Button mt="xs" variant="default" onClick={onLeave}>
          {calibrationsWords.backToCalibrations}
        </Button>
      </Panel>
    );
  const { session } = envelope;
  const isWaiting = session.status === 'in_progress' && !advance.isPending && step.metadata.progress === undefined;
  return (
    <Panel title={deviceTitle(session.target_device)}>
      <Stack gap="sm" className={styles.session}>
        <StepContent step={step} heading={heading} onAct={isWaiting ? advanceOnce : undefined} />
        {session.status === 'in_progress' ? (
          <StepForm
            key={place}
            step={step}
            progress={step.metadata.progress}
            isPending={advance.isPending}
            error={advance.error ?? stop.error}
            onAdvance={advanceOnce}
            onStop={() => stop.mutate()}
            isStopping={stop.isPending}
            onAbort={() => setIsAsking(true)}
          />
        ) : (
          <>
            <ResultFacts unit={unit} result={session.result} />
            <Group>
              <Button onClick={onLeave}>{calibrationsWords.backToCalibrations}</Button>
            </Group>
          </>
        )}
        {abort.error && <ProblemAlert error={abort.error} />}
      </Stack>
      <CancelSessionDialog
        how="cancel"
        isOpen={isAsking}
        isPending={abort.isPending}
        onClose={() => setIsAsking(false)}
        onCancelSession={() => abort.mutate(undefined, { onSettled: () => setIsAsking(false) })}
      />
    </Panel>
  );
}
