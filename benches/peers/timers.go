// Prints the median and the 99th percentile of the lateness of timers, in microseconds. Each timer
// runs a function in its own goroutine.
//
// Usage: timers <number of timers> <microseconds between them>
package main

import (
	"fmt"
	"os"
	"sort"
	"strconv"
	"sync"
	"time"
)

func main() {
	count, _ := strconv.Atoi(os.Args[1])
	apart, _ := strconv.Atoi(os.Args[2])
	late := make([]time.Duration, count)
	var running sync.WaitGroup
	running.Add(count)
	first := time.Now().Add(50 * time.Millisecond)
	for index := range late {
		index := index
		instant := first.Add(time.Duration(index*apart) * time.Microsecond)
		time.AfterFunc(time.Until(instant), func() {
			late[index] = time.Since(instant)
			running.Done()
		})
	}
	running.Wait()
	sort.Slice(late, func(a, b int) bool { return late[a] < late[b] })
	fmt.Println(late[count/2].Seconds()*1e6, late[count*99/100].Seconds()*1e6)
}
