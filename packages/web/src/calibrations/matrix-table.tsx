import type { Blank, CalibrationSummary } from '@lcs/contract';
import { Text, VisuallyHidden } from '@mantine/core';
import { Link } from '@tanstack/react-router';
import { useLeaderNow } from '../services/use-ticking.ts';
import { calibrationsWords } from '../words/calibrations.ts';
import { commonWords } from '../words/common.ts';
import {
  blankCell,
  type CalibrationCell,
  calibrationCell,
  deviceTitle,
  matrixDevices,
  matrixSentence,
} from './calibration-matrix.ts';
import styles from './matrix-table.module.css';
import type { OpenSession } from './open-sessions.ts';

interface MatrixTableProps {
  readonly units: readonly string[];
  readonly summaries: readonly CalibrationSummary[];
  /** Undefined: not known yet. */
  readonly blanks: readonly Blank[] | undefined;
  readonly open: readonly OpenSession[];
}

interface MatrixCellProps {
  readonly unit: string;
  /** Undefined: the blank of its experiment. */
  readonly device?: string;
  readonly title: string;
  readonly cell: CalibrationCell;
  /** Of this device, the calibration that is half done. */
  readonly open?: OpenSession | undefined;
}

/** One cell leads to the calibrations of its unit, and to those of its device there, or to the one that is half done. */
function MatrixCell({ unit, device, title, cell: { state, text, details }, open }: MatrixCellProps) {
  const place = open === undefined ? { ...(device !== undefined && { device }) } : { session: open.session };
  const search = { tab: 'calibrations', ...place } as const;
  return (
    <td data-state={state}>
      <Link to="/units/$unit" params={{ unit }} search={search} className={styles.cell}>
        <VisuallyHidden>{calibrationsWords.titleOfUnit(title, unit)}</VisuallyHidden>
        <span className={styles.age}>{text}</span>
        {open !== undefined && <span className={styles.open}>{calibrationsWords.halfDone}</span>}
        {details.map((detail) => (
          <span key={detail} className={styles.detail}>
            {detail}
          </span>
        ))}
      </Link>
    </td>
  );
}

/** All units and devices: how old and how good the active calibration is. */
export function MatrixTable({ units, summaries, blanks, open }: MatrixTableProps) {
  const nowMs = useLeaderNow()();
  const devices = matrixDevices(summaries);
  const blankOf = (unit: string): CalibrationCell =>
    blankCell(
      blanks?.find((each) => each.reactor_unit === unit),
      nowMs,
    );
  const openOf = (unit: string, device: string): OpenSession | undefined =>
    open.find((one) => one.unit === unit && one.procedure?.target_device === device);
  const rows = units.map((unit) => ({
    unit,
    cells: devices.map((device) => {
      const found = summaries.filter((each) => each.reactor_unit === unit && each.device === device);
      return { device, cell: calibrationCell(found, nowMs) };
    }),
  }));
  return (
    <>
      <Text size="sm" c="dimmed">
        {matrixSentence(
          rows.flatMap(({ cells }) => cells.map(({ cell }) => cell)),
          blanks === undefined ? [] : units.map(blankOf),
        )}
      </Text>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a keyboard scrolls it */}
      <section className={styles.scroll} aria-label={calibrationsWords.calibrationsOfAllUnits} tabIndex={0}>
        <table className={styles.table}>
          <thead>
            <tr>
              <th scope="col">{commonWords.unit}</th>
              {devices.map((device) => (
                <th key={device} scope="col">
                  {summaries.some((each) => each.device === device && each.is_active) ? (
                    <Link
                      to="/calibrations"
                      search={{ curves: device }}
                      className="page-link"
                      resetScroll={false}
                      aria-label={calibrationsWords.compareCurvesOfAllUnits(deviceTitle(device))}
                    >
                      {deviceTitle(device)}
                    </Link>
                  ) : (
                    deviceTitle(device)
                  )}
                </th>
              ))}
              {blanks !== undefined && <th scope="col">{calibrationsWords.blank}</th>}
            </tr>
          </thead>
          <tbody>
            {rows.map(({ unit, cells }) => (
              <tr key={unit}>
                <th scope="row">
                  <Link to="/units/$unit" params={{ unit }} search={{ tab: 'calibrations' }} className="page-link">
                    {unit}
                  </Link>
                </th>
                {cells.map(({ device, cell }) => (
                  <MatrixCell
                    key={device}
                    {...{ unit, device, cell }}
                    title={deviceTitle(device)}
                    open={openOf(unit, device)}
                  />
                ))}
                {blanks !== undefined && (
                  <MatrixCell unit={unit} title={calibrationsWords.blank} cell={blankOf(unit)} />
                )}
              </tr>
            ))}
          </tbody>
        </table>
      </section>
    </>
  );
}
