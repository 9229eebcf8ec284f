import type { ReactNode } from 'react';

interface IconProps {
  readonly size?: number;
}

/** Icons accompany a text or an accessible name, so they are hidden from assistive tools. */
const icon = (paths: ReactNode) =>
  function Icon({ size = 16 }: IconProps) {
    return (
      <svg
        width={size}
        height={size}
        viewBox="0 0 24 24"
        fill="none"
        stroke="currentColor"
        strokeWidth={2}
        strokeLinecap="round"
        strokeLinejoin="round"
        aria-hidden="true"
        focusable="false"
      >
        {paths}
      </svg>
    );
  };

export const FlaskIcon = icon(<path d="M9 3h6M10 3v6L4.7 18a2 2 0 0 0 1.8 3h11a2 2 0 0 0 1.8-3L14 9V3M7.5 14h9" />);
export const CurveIcon = icon(<path d="M4 4v16h16M7 16c4 0 6-9 12-9" />);
export const PlusIcon = icon(<path d="M12 5v14M5 12h14" />);
export const SearchIcon = icon(
  <>
    <circle cx="11" cy="11" r="7" />
    <path d="m20 20-4-4" />
  </>,
);
export const DotsIcon = icon(
  <>
    <circle cx="12" cy="5" r="1" />
    <circle cx="12" cy="12" r="1" />
    <circle cx="12" cy="19" r="1" />
  </>,
);
export const ArrowUpIcon = icon(<path d="M12 19V5M6 11l6-6 6 6" />);
export const ArrowDownIcon = icon(<path d="M12 5v14M6 13l6 6 6-6" />);
export const ArrowLeftIcon = icon(<path d="M19 12H5M11 6l-6 6 6 6" />);
export const ArrowRightIcon = icon(<path d="M5 12h14M13 6l6 6-6 6" />);
export const MinusIcon = icon(<path d="M5 12h14" />);
export const SunIcon = icon(
  <>
    <circle cx="12" cy="12" r="4" />
    <path d="M12 2v2M12 20v2M2 12h2M20 12h2M4.9 4.9l1.4 1.4M17.7 17.7l1.4 1.4M4.9 19.1l1.4-1.4M17.7 6.3l1.4-1.4" />
  </>,
);
export const MoonIcon = icon(<path d="M20 14.5A8 8 0 0 1 9.5 4 8 8 0 1 0 20 14.5Z" />);
export const ScreenIcon = icon(<path d="M4 5h16v11H4zM9 20h6M12 16v4" />);
export const CheckIcon = icon(<path d="m5 12 5 5 9-10" />);
export const LiveIcon = icon(
  <>
    <circle cx="12" cy="12" r="2" fill="currentColor" />
    <path d="M7.8 16.2a6 6 0 0 1 0-8.4M16.2 7.8a6 6 0 0 1 0 8.4M5 19a10 10 0 0 1 0-14M19 5a10 10 0 0 1 0 14" />
  </>,
);
export const UnpluggedIcon = icon(
  <path d="M3 3l18 18M7.8 16.2a6 6 0 0 1-1.5-6M16.2 7.8a6 6 0 0 1 1.5 6M5 19A10 10 0 0 1 3 9M19 5a10 10 0 0 1 2 10" />,
);
export const WarningIcon = icon(<path d="M12 4 2.5 20h19L12 4ZM12 10v4M12 17.5v.01" />);
export const BellIcon = icon(<path d="M6 16v-5a6 6 0 0 1 12 0v5l2 2H4l2-2ZM10 21h4" />);
export const SlidersIcon = icon(<path d="M4 7h9M17 7h3M4 17h3M11 17h9M15 4v6M9 14v6" />);
export const PauseIcon = icon(<path d="M9 6v12M15 6v12" />);
/** Tiles. */
export const NowIcon = icon(<path d="M4 4h7v7H4zM13 4h7v7h-7zM4 13h7v7H4zM13 13h7v7h-7z" />);
export const NoteIcon = icon(<path d="M5 4h14v11l-5 5H5zM14 20v-5h5M9 9h6M9 13h3" />);
export const ExpandIcon = icon(<path d="M4 9V4h5M20 9V4h-5M4 15v5h5M20 15v5h-5" />);
export const PlayIcon = icon(<path d="M8 5.5v13l10-6.5-10-6.5Z" />);
export const StopIcon = icon(<path d="M6.5 6.5h11v11h-11z" fill="currentColor" />);
export const PersonIcon = icon(<path d="M12 12a4 4 0 1 0 0-8 4 4 0 0 0 0 8ZM4.5 20a7.5 7.5 0 0 1 15 0" />);
/** A vial on its base. */
export const UnitIcon = icon(<path d="M8 3h8M9 3v9a3 3 0 0 0 6 0V3M9 8h6M5 15v5h14v-5" />);
/** Steps one after the other. */
export const ListIcon = icon(<path d="M9 6h11M9 12h11M9 18h11M4 6h.01M4 12h.01M4 18h.01" />);
export const LockIcon = icon(<path d="M6 11h12v10H6zM9 11V7a3 3 0 0 1 6 0v4" />);
export const DropIcon = icon(<path d="M12 3c4 5 6 7.6 6 11a6 6 0 0 1-12 0c0-3.4 2-6 6-11Z" />);
export const PowerIcon = icon(<path d="M12 3v9M6.3 7.3a8 8 0 1 0 11.4 0" />);
export const CameraIcon = icon(
  <>
    <path d="M4 8h3l2-3h6l2 3h3v11H4z" />
    <circle cx="12" cy="13" r="3.5" />
  </>,
);
