import type { PlannedAction, ProfilePlan } from '@lcs/contract';
import { Anchor, Text } from '@mantine/core';
import { memo, useMemo } from 'react';
import { plainWords } from '../api/plain-words.ts';
import { protocolsWords } from '../words/protocols.ts';
import { unitNameText } from '../words/unit-name.ts';
import { markText, timeText } from './mark-text.ts';
import styles from './timeline.module.css';
import { elapsedTicks, type Lane, lastActionS, marksInOrder, timelineOf, type UnitLanes } from './timeline-layout.ts';

interface TimelineProps {
  readonly plan: ProfilePlan;
  /** Of the single unit of a plan that is for any unit. */
  readonly unitName: string | undefined;
  /** The line of the action that the caret of the editor is in. */
  readonly currentLine: number | undefined;
  readonly onGoTo: (line: number, column: number) => void;
}

const percent = (atS: number, endS: number): string => `${(100 * atS) / endS}%`;

/** A job as people call it, at the beginning of a line. */
function jobTitle(jobName: string): string {
  const words = plainWords(jobName);
  return words.slice(0, 1).toUpperCase() + words.slice(1);
}

/** A label of the axis behind this share of it is written before its place. */
const lastShare = 0.9;

const keyOf = ({ path, iteration, action, at_s }: PlannedAction): string => `${path} ${iteration} ${action} ${at_s}`;

interface LaneProps extends Pick<TimelineProps, 'currentLine' | 'onGoTo'> {
  readonly lane: Lane;
  readonly endS: number;
}

/** The list below has the same for keyboards and screen readers. */
function JobLane({ lane: { jobName, bars, marks }, endS, currentLine, onGoTo }: LaneProps) {
  return (
    <div className={styles.lane} data-lane={jobName}>
      <span className={styles.job}>{jobTitle(jobName)}</span>
      <div className={styles.track}>
        {bars.map(({ fromS, toS, isPaused, isUncertain }) => (
          <span
            key={fromS}
            className={styles.bar}
            data-paused={isPaused}
            data-uncertain={isUncertain}
            style={{ left: percent(fromS, endS), width: percent(toS - fromS, endS) }}
          />
        ))}
        {marks.map((mark) => (
          <button
            key={keyOf(mark.action)}
            type="button"
            tabIndex={-1}
            className={styles.mark}
            data-action={mark.action.action}
            data-current={mark.action.line === currentLine}
            title={markText(mark)}
            style={{ left: percent(mark.action.at_s, endS) }}
            onClick={() => onGoTo(mark.action.line, mark.action.column)}
          />
        ))}
      </div>
    </div>
  );
}

const nameOf = ({ unit, label }: Pick<UnitLanes, 'unit' | 'label'>): string => unitNameText(unit, label);

/** So many actions of a unit are in the list. */
const mostListed = 200;

function UnitList({ lanes, name, onGoTo, ...unit }: UnitLanes & Pick<TimelineProps, 'onGoTo'> & { name: string }) {
  const marks = marksInOrder({ lanes });
  const shown = marks.slice(0, mostListed);
  return (
    <>
      <h3 className={styles.unit}>{name}</h3>
      <ol className={styles.list}>
        {shown.map((mark) => (
          <li key={keyOf(mark.action)}>
            <Anchor
              component="button"
              type="button"
              size="sm"
              ta="left"
              onClick={() => onGoTo(mark.action.line, mark.action.column)}
            >
              {markText(mark)}
            </Anchor>
          </li>
        ))}
      </ol>
      {(unit.isTruncated || marks.length > shown.length) && <Text size="sm">{protocolsWords.moreActionsFollow}</Text>}
    </>
  );
}

const Legend = () => (
  <ul className={styles.legend} aria-hidden="true">
    {[
      ['update', 'action'],
      ['log', protocolsWords.logEntry],
      ['repeat', 'loop'],
      ['when', 'wait'],
    ].map(([action, text]) => (
      <li key={action}>
        <span className={styles.sample}>
          <span className={styles.mark} data-action={action} style={{ left: '50%' }} />
        </span>
        {text}
      </li>
    ))}
    <li>
      <span className={styles.sample}>
        <span className={styles.bar} data-uncertain style={{ left: 0, width: 22 }} />
      </span>
      {protocolsWords.afterWait}
    </li>
  </ul>
);

/** When the actions of a profile take place on each unit; a click on one leads to its line in the editor. */
export const Timeline = memo(function Timeline({ plan, unitName, currentLine, onGoTo }: TimelineProps) {
  const lastS = lastActionS(plan);
  const { endS, units } = useMemo(() => timelineOf(plan), [plan]);
  return (
    <>
      <Text size="sm">
        {lastS === null ? protocolsWords.endDependsOnConditions : protocolsWords.lastActionIsDueAfter(timeText(lastS))}
        {plan.omitted_units > 0 && protocolsWords.moreUnitsAreNotShown(plan.omitted_units)}
      </Text>
      <Legend />
      <div className={styles.scroll} aria-hidden="true">
        {units.map((unit) => (
          <div key={unit.unit} data-unit={unit.unit}>
            <div className={styles.unit}>{unitName ?? nameOf(unit)}</div>
            {unit.lanes.map((lane) => (
              <JobLane key={lane.jobName} lane={lane} endS={endS} currentLine={currentLine} onGoTo={onGoTo} />
            ))}
          </div>
        ))}
        <div className={styles.lane}>
          <span />
          <div className={styles.axis}>
            {elapsedTicks(endS).map(({ atS, text }) => (
              <span key={atS} style={{ left: percent(atS, endS) }} data-last={atS / endS > lastShare}>
                {text}
              </span>
            ))}
          </div>
        </div>
      </div>
      <details>
        <summary>{protocolsWords.eachStepInSentence}</summary>
        {units.map((unit) => (
          <UnitList key={unit.unit} {...unit} name={unitName ?? nameOf(unit)} onGoTo={onGoTo} />
        ))}
      </details>
    </>
  );
});
