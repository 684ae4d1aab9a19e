/** An icon and a word; the five verdicts of a claim always look the same. */
import { Check, CircleDashed, CircleHelp, type LucideIcon, TriangleAlert, X } from 'lucide-react';
import type { ReactNode } from 'react';
import type { Verdict } from '../formats/verdict';

export type Tone = 'ok' | 'info' | 'warn' | 'alarm' | 'plain';

export function Badge({ tone, icon: Icon, children }: { tone: Tone; icon?: LucideIcon; children: ReactNode }) {
  return (
    <span className={`badge ${tone}`}>
      {Icon && <Icon size={13} strokeWidth={2.2} aria-hidden />}
      {children}
    </span>
  );
}

const LOOK: Record<Verdict, { tone: Tone; icon: LucideIcon }> = {
  holds: { tone: 'ok', icon: Check },
  'in part': { tone: 'warn', icon: TriangleAlert },
  'does not show': { tone: 'alarm', icon: X },
  'not enough seeds': { tone: 'info', icon: CircleHelp },
  'not measured': { tone: 'plain', icon: CircleDashed },
};

export function VerdictBadge({ verdict }: { verdict: Verdict }) {
  return (
    <Badge tone={LOOK[verdict].tone} icon={LOOK[verdict].icon}>
      {verdict}
    </Badge>
  );
}
