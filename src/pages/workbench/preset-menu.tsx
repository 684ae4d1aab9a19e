/** The named points in the space of choices: every published algorithm is one. */
import { ChevronDown } from 'lucide-react';
import { DropdownMenu } from 'radix-ui';
import { useContext } from 'react';
import { FloatingLayer } from '../../components/button';
import { PRESETS, presetsFor, REGISTRY, worldOf } from '../../stores/registry';
import { useScenario } from '../../stores/scenario';

export function PresetMenu() {
  const preset = useScenario((state) => state.scenario?.preset ?? '');
  const world = useScenario(({ scenario }) => (scenario === undefined ? 'control' : worldOf(scenario)));
  const apply = useScenario((state) => state.applyPreset);
  return (
    <DropdownMenu.Root modal={false}>
      <DropdownMenu.Trigger asChild>
        <button type="button" className="preset">
          <span className="preset-name">preset {PRESETS[preset]?.title ?? preset}</span>
          <ChevronDown size={13} aria-hidden />
        </button>
      </DropdownMenu.Trigger>
      <DropdownMenu.Portal container={useContext(FloatingLayer)}>
        <DropdownMenu.Content className="menu presets" align="end" sideOffset={6} collisionPadding={8}>
          <DropdownMenu.RadioGroup value={preset} onValueChange={(id) => apply(id, PRESETS[id]?.slots ?? {}, REGISTRY)}>
            {presetsFor(world).map(({ id, title, summary, source }) => (
              <DropdownMenu.RadioItem key={id} value={id} className="menu-item preset-item">
                <span className="preset-title">
                  {title}
                  <DropdownMenu.ItemIndicator>
                    <span className="changed">now</span>
                  </DropdownMenu.ItemIndicator>
                </span>
                <span>{summary}</span>
                <span className="muted">{source}</span>
              </DropdownMenu.RadioItem>
            ))}
          </DropdownMenu.RadioGroup>
        </DropdownMenu.Content>
      </DropdownMenu.Portal>
    </DropdownMenu.Root>
  );
}
