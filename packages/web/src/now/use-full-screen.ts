import { useNavigate } from '@tanstack/react-router';
import { useCallback, useEffect } from 'react';
import type { NowSearch } from './now-search.ts';

/** The whole screen for the page Now. Its state is in the address; Esc leaves it. */
export function useFullScreen({ experiment, view }: NowSearch) {
  const navigate = useNavigate();
  const isWall = view === 'wall';
  const leave = useCallback((): void => {
    void navigate({ to: '/', search: experiment === undefined ? {} : { experiment }, replace: true });
    if (document.fullscreenElement !== null) void document.exitFullscreen();
  }, [navigate, experiment]);
  const enter = (): void => {
    void navigate({ to: '/', search: { ...(experiment !== undefined && { experiment }), view: 'wall' } });
    // A browser may refuse it: the page then fills the window.
    document.documentElement.requestFullscreen?.().catch(() => {});
  };
  useEffect(() => {
    if (!isWall) return;
    const onKey = ({ key }: KeyboardEvent): void => {
      if (key === 'Escape') leave();
    };
    // The browser takes the key Esc for itself while it shows the page on the whole screen.
    const onChange = (): void => {
      if (document.fullscreenElement === null) leave();
    };
    document.addEventListener('keydown', onKey);
    document.addEventListener('fullscreenchange', onChange);
    return () => {
      document.removeEventListener('keydown', onKey);
      document.removeEventListener('fullscreenchange', onChange);
    };
  }, [isWall, leave]);
  return { enter, leave };
}
