import { Link, type LinkProps } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { isUnacknowledged } from '../alarms/unacknowledged.ts';
import { useOpenAlarms } from '../alarms/use-alarms.ts';
import { experimentsWithUnits } from '../now/cluster-state.ts';
import { useAssignments } from '../services/queries.ts';
import { BellIcon, FlaskIcon, NoteIcon, NowIcon } from '../ui/icons.tsx';
import { appWords } from '../words/app.ts';
import { commonWords } from '../words/common.ts';
import styles from './phone-bar.module.css';

interface PlaceProps {
  readonly link: Pick<LinkProps, 'to' | 'params'>;
  readonly label: string;
  readonly icon: ReactNode;
  readonly isCurrent: boolean;
  readonly count?: number;
}

const Place = ({ link, label, icon, isCurrent, count = 0 }: PlaceProps) => (
  <Link {...link} className={styles.place} aria-current={isCurrent ? 'page' : undefined}>
    {icon}
    <span>{count > 0 ? `${label} ${count}` : label}</span>
  </Link>
);

interface PhoneBarProps {
  readonly pathname: string;
  /** The experiment of the present page. */
  readonly experiment: string | undefined;
  readonly onNote: () => void;
  readonly stopMenu: ReactNode;
}

/** On a phone: what is needed at the bench, within reach of a thumb. */
export function PhoneBar({ pathname, experiment, onNote, stopMenu }: PhoneBarProps) {
  const { data: assignments = [] } = useAssignments();
  const { data: alarms = [] } = useOpenAlarms();
  const running = experimentsWithUnits(assignments);
  // Of several running experiments a person chooses.
  const shown = experiment ?? (running.length === 1 ? running[0] : undefined);
  return (
    <nav aria-label={appWords.benchNavigation} className={styles.bar}>
      <Place link={{ to: '/' }} label={commonWords.now} icon={<NowIcon size={20} />} isCurrent={pathname === '/'} />
      <Place
        link={
          shown === undefined
            ? { to: '/experiments' }
            : { to: '/experiments/$experiment', params: { experiment: shown } }
        }
        label={commonWords.experiment}
        icon={<FlaskIcon size={20} />}
        isCurrent={pathname.startsWith('/experiments')}
      />
      <button type="button" className={styles.place} onClick={onNote}>
        <NoteIcon size={20} />
        <span>{commonWords.note}</span>
      </button>
      <Place
        link={{ to: '/alarms' }}
        label={commonWords.alarms}
        icon={<BellIcon size={20} />}
        isCurrent={pathname.startsWith('/alarms')}
        count={alarms.filter(isUnacknowledged).length}
      />
      {stopMenu}
    </nav>
  );
}
