import { ActionIcon, Button } from '@mantine/core';
import { useSyncExternalStore } from 'react';
import { ArrowLeftIcon, ArrowRightIcon, MinusIcon, PlusIcon } from '../ui/icons.tsx';
import { chartsWords } from '../words/charts.ts';
import type { SharedWindow } from './shared-window.ts';
import type { TimeRange } from './time-range.ts';
import { clampedWindow, pannedBy, zoomedAround } from './time-window.ts';
import styles from './window-buttons.module.css';

interface WindowButtonsProps {
  readonly window: SharedWindow;
  /** The window that is shown without a zoom. */
  readonly whole: () => TimeRange;
  /** The times that can be shown. */
  readonly bounds: () => TimeRange;
}

const panShare = 0.5;
const zoomFactor = 2;

/** Moves and zooms the window of all charts, for people without a wheel, two fingers or keys. */
export function WindowButtons({ window, whole, bounds }: WindowButtonsProps) {
  const zoom = useSyncExternalStore(window.subscribe, window.current);
  const change = (next: (shown: TimeRange) => TimeRange): void =>
    window.move(clampedWindow(next(window.current() ?? whole()), bounds()));
  const acts = [
    [chartsWords.earlier, <ArrowLeftIcon key="earlier" />, (shown: TimeRange) => pannedBy(shown, -panShare)],
    [chartsWords.later, <ArrowRightIcon key="later" />, (shown: TimeRange) => pannedBy(shown, panShare)],
    [chartsWords.zoomIn, <PlusIcon key="in" />, (shown: TimeRange) => zoomedAround(shown, 1 / zoomFactor)],
    [chartsWords.zoomOut, <MinusIcon key="out" />, (shown: TimeRange) => zoomedAround(shown, zoomFactor)],
  ] as const;
  return (
    <fieldset className={styles.buttons} aria-label={chartsWords.moveAndZoomCharts}>
      {acts.map(([name, icon, next]) => (
        <ActionIcon
          key={name}
          variant="default"
          className={styles.button}
          aria-label={name}
          title={name}
          onClick={() => change(next)}
        >
          {icon}
        </ActionIcon>
      ))}
      <Button size="xs" className={styles.reset} data-needed={zoom !== null} onClick={() => window.move(null)}>
        {chartsWords.resetZoom}
      </Button>
    </fieldset>
  );
}
