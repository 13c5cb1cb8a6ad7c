package cli
import ("testing";"time";"fmt";"encoding/json"
"github.com/gavelhq/gavel/apps/airshed/rule/analysis"
"github.com/gavelhq/gavel/apps/airshed/rule/demo")
func TestTmp(t *testing.T){
 for _, tt := range []struct {
		imported time.Time
		after    time.Duration
	}{
		{time.Date(2026, 11, 16, 18, 17, 0, 0, time.UTC), 0}, {time.Date(2027, 6, 1, 4, 1, 0, 0, time.UTC), 0},
		{time.Date(2027, 2, 28, 11, 59, 0, 0, time.UTC), 25 * time.Hour}, {time.Date(2026, 11, 16, 23, 17, 0, 0, time.UTC), 74 * time.Hour},
	} {
 rules,_:=analysis.RulesOver(demoLand(t))
 o,_:=demo.At(tt.imported,tt.imported.Add(tt.after)).Object()
 d,_:=analysis.Prepare(o,rules)
 b0:=time.Now()
 _,all,err:=d.Run(analysis.Statements)
 fmt.Println(err, time.Since(b0))
 for _,a:=range all { w:=*a.Whose; w.Members=nil; b,_:=json.Marshal(w); fmt.Println(a.Key, a.Attribution.Verdict, string(b)) }
 }
}
